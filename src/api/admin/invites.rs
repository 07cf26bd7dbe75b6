//! Staff invites and their acceptance (Ghost 6.65, recorded).

use serde_json::{Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    records::{self, Resource},
    users::role_named,
};
use crate::{
    admin::invites::{self, Acceptance, Invitation},
    catalog::{
        fields::{INVITES, Schema},
        filter::Filterable,
    },
    domain::{invite::Invite, password::Password},
    error::{Error, Kind, Result},
};

/// The writable fields of an invite. Both are required; the error for a missing one names no field.
pub static FIELDS: &[InputField] = &[
    InputField::optional("email", InputType::Text(usize::MAX)),
    InputField::optional("role_id", InputType::Text(usize::MAX)),
];

impl Filterable for Invite {}

impl Resource for Invite {
    const RECORD: &'static str = "Invite";
    const SCHEMA: &'static Schema<Self> = &INVITES;
}

/// `POST admin/invites/`
pub fn add(request: &Request) -> Result<Reply> {
    let record = envelope::only_record(request, "invites")?;
    let input = Input::change(record, FIELDS)?;
    let needed = |name: &str| {
        input
            .text(name)
            .flatten()
            .ok_or_else(|| Error::new(Kind::Validation, format!("An invite requires \"{name}\".")))
    };
    let (email, role) = (needed("email")?, needed("role_id")?);
    let role = role_named(role).ok_or_else(|| Error::not_found("role"))?;
    let invitation = Invitation { email, role };
    let (actor, mail_site) = (request.actor()?, request.mail_site());
    let invite = invites::add(request.site(), actor, invitation, &mail_site)?;
    // An invite has no relations, so the snapshot from before the change suffices.
    let body = records::changed(request, request.snapshot, &*invite);
    Ok(Reply::created(body, &request.location(invite.id)))
}

/// `GET admin/authentication/invitation/`: returns whether the address in `email` is invited.
pub fn is_invited(request: &Request) -> Result<Reply> {
    let email = request.parameters.joined("email").unwrap_or_default();
    if email.is_empty() {
        return Err(Error::new(
            Kind::BadRequest,
            "The parameter \"email\" is required.",
        ));
    }
    let is_invited = invites::is_invited(request.snapshot, &email, request.site())?;
    Ok(Reply::value(
        &json!({"invitation": [{ "valid": is_invited }]}),
    ))
}

/// `POST admin/authentication/invitation/`: creates a user for the holder of the link.
pub fn accept(request: &Request) -> Result<Reply> {
    let record = envelope::record(request, "invitation")?;
    // The errors name no field.
    let text = |name: &str| {
        let text = record.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).ok_or_else(|| {
            Error::new(
                Kind::Validation,
                format!("To accept an invitation, \"{name}\" is required."),
            )
        })
    };
    invites::accept(
        request.site(),
        &Acceptance {
            secret: text("token")?,
            name: text("name")?,
            password: &Password::new(text("password")?),
            subdirectory: request.site_urls.subdirectory(),
        },
    )?;
    Ok(Reply::value(&json!({"invitation": [{
        "message": "Welcome. You can sign in now."
    }]})))
}
