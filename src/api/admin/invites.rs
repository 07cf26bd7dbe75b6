//! Staff invites and their acceptance (Ghost 6.65, recorded).

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
    users::role_named,
    view::View,
};
use crate::{
    admin::invites::{self, Acceptance, Invitation},
    api::{
        json::{self, Object},
        listing::{self, FilterRules, not_found, pagination},
        params::{Defaults, Paging, Selection},
    },
    catalog::fields::INVITES,
    domain::{invite::Invite, password::Password},
    error::{Error, Kind, Result},
};

/// The writable fields of an invite. Both are required; the error for a missing one names no field.
pub static FIELDS: &[InputField] = &[
    InputField::optional("email", InputType::Text(usize::MAX)),
    InputField::optional("role_id", InputType::Text(usize::MAX)),
];

/// `GET admin/invites/`
pub fn browse(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let paging = Paging::parse(request.parameters)?;
    let rules = FilterRules::of_fields(&INVITES);
    let query = listing::query(&request.snapshot.catalog, request.now, &paging, &rules)?;
    let is_found = |invite: &Invite| {
        let filter = query.filter.as_ref();
        filter.is_none_or(|filter| filter.holds(invite))
    };
    let mut found: Vec<Arc<Invite>> = request
        .snapshot
        .invites()?
        .into_iter()
        .filter(is_found)
        .map(Arc::new)
        .collect();
    if let Some(order) = &query.order {
        found.sort_by(|a, b| order.compare(a, b, |_| 0));
    }
    let page = listing::page(found, &paging);

    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let invites = page.records.iter().map(AsRef::as_ref);
    write(request, &selection, &[], invites, object.name("invites"));
    object.field("meta", pagination(&page, &paging));
    object.end();
    Ok(Reply::json(bytes))
}

/// `GET admin/invites/{id}/`
pub fn read(request: &Request) -> Result<Reply> {
    let selection = Selection::for_staff(request.parameters, &Defaults::NONE);
    let invite = match request.id(0)? {
        Some(id) => request.snapshot.invite(id)?,
        None => None,
    };
    let invite = invite.ok_or_else(|| not_found("invite"))?;
    Ok(Reply::json(envelope_of(request, &selection, &invite)))
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
    let role = role_named(role).ok_or_else(|| not_found("role"))?;
    let invitation = Invitation { email, role };
    let (actor, place) = (request.actor()?, request.place());
    let invite = invites::add(request.site(), actor, invitation, &place)?;
    let selection = Selection::for_change(request.parameters, &Defaults::NONE);
    let body = envelope_of(request, &selection, &invite);
    Ok(Reply::created(body, &request.location(invite.id)))
}

/// `DELETE admin/invites/{id}/`
pub fn delete(request: &Request) -> Result<Reply> {
    invites::delete(request.site(), request.actor()?, request.id(0)?)?;
    Ok(Reply::no_content())
}

/// `GET admin/authentication/invitation/`: whether the address in `email` is invited.
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

fn envelope_of(request: &Request, selection: &Selection, invite: &Invite) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut object = Object::begin(&mut bytes);
    let one = std::iter::once(invite);
    write(request, selection, &["id"], one, object.name("invites"));
    object.end();
    bytes
}

fn write<'i>(
    request: &Request,
    selection: &Selection,
    keys: &[&str],
    invites: impl Iterator<Item = &'i Invite>,
    bytes: &mut Vec<u8>,
) {
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection,
    };
    let rows = selection.rows(&INVITES, keys);
    json::list(bytes, invites, |bytes, invite| {
        let mut object = Object::begin(bytes);
        view.fields(&mut object, invite, &rows, |_, _, _| {});
        object.end();
    });
}
