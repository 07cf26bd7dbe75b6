//! The initial set-up of a site (Ghost 6.65, recorded).

use http::{StatusCode, header};
use serde_json::json;

use super::{
    Reply, Request, cookie, envelope,
    input::{Input, InputField, InputType},
    records,
    reply::ReplyBody,
};
use crate::{
    admin::{
        set_up::{self, SetUp},
        setup_link,
        users::UserChanges,
    },
    api::visitor::Visitor,
    domain::password::Password,
    error::Result,
};

/// The writable fields of a site's set-up.
pub const FIELDS: &[InputField] = &[
    InputField::required("name", InputType::Text(191)),
    InputField::required("email", InputType::Text(191)),
    InputField::required("password", InputType::Any),
    InputField::optional("blogTitle", InputType::Text(150)),
];

/// `GET admin/authentication/setup/`
pub fn read(request: &Request) -> Result<Reply> {
    let is_done = set_up::is_done(&request.snapshot.catalog);
    let body = json!({ "setup": [{ "status": is_done }] });
    Ok(Reply::json(body.to_string().into_bytes()))
}

/// `POST admin/authentication/setup/`
pub fn add(request: &Request) -> Result<Reply> {
    set_up::refuse_when_done(&request.snapshot.catalog)?;
    admit(request)?;
    let input = Input::new_record(envelope::record(request, "setup")?, FIELDS)?;
    let text = |name: &str| input.text(name).flatten().unwrap_or_default();
    let owner = set_up::set_up(
        request.site(),
        &SetUp {
            name: text("name"),
            email: text("email"),
            password: &Password::new(text("password")),
            site_title: input.text("blogTitle").flatten(),
            subdirectory: request.site_urls.subdirectory(),
            site: request.site_urls.url(),
        },
    )?;
    let snapshot = request.site().current();
    let body = ReplyBody::Json(records::changed(request, &snapshot, owner.as_ref()));
    let reply = Reply::new(StatusCode::CREATED, body);
    Ok(match cookie::sent_setup_token(&request.head.headers) {
        // The site is set up now, so the cookie of the set-up link has no further use.
        Some(_) => {
            let ended = request.api.setup_cookie(request.site_urls, "");
            reply.with_text(header::SET_COOKIE, &ended)
        }
        None => reply,
    })
}

/// Admits visitors on the server's own machine, and browsers that opened the set-up link.
fn admit(request: &Request) -> Result<()> {
    let head = request.head;
    if let Visitor::Local(_) = Visitor::of(head, request.site_urls) {
        return Ok(());
    }
    let Some(token) = cookie::sent_setup_token(&head.headers) else {
        return Err(setup_link::refusal());
    };
    let origins = request.api.origins(request.site_urls);
    if let Some(admin) = origins.admin {
        // With a separate admin origin, browsers send the cookie from pages of any site.
        cookie::check_origin(head, admin.as_str(), &origins)?;
    }
    let check = request.api.setup_check(request.snapshot, head);
    check.admit(token)
}

/// `PUT admin/authentication/setup/`. A password is ignored, as in every change of a user.
pub fn edit(request: &Request) -> Result<Reply> {
    let input = Input::change(envelope::record(request, "setup")?, FIELDS)?;
    let text = |name: &str| input.text(name).flatten();
    let changes = UserChanges {
        name: text("name").map(Into::into),
        email: text("email").map(|email| Some(email.into())),
        ..UserChanges::default()
    };
    let owner = set_up::edit(
        request.site(),
        request.actor()?,
        &changes,
        text("blogTitle"),
        request.session(),
        request.site_urls.url(),
    )?;
    let snapshot = request.site().current();
    let body = records::changed(request, &snapshot, owner.as_ref());
    Ok(Reply::json(body).invalidating("/*"))
}
