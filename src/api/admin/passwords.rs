//! Setting and resetting passwords (Ghost 6.65, recorded; paths of the global reset as in
//! specification 9 and as recorded).

use serde_json::{Map, Value, json};

use super::{Reply, Request, envelope};
use crate::{
    admin::{
        passwords::{self, NewPassword},
        security::{self, ResetOutcome},
    },
    domain::password::Password,
    error::{Error, Kind, Result},
};

/// `PUT admin/users/password/`
pub fn change(request: &Request) -> Result<Reply> {
    let record = envelope::only_record(request, "password")?;
    let actor = request.actor()?;
    let named = text(&record, "user_id")
        .ok_or_else(|| Error::new(Kind::Validation, "\"user_id\" is required."))?;
    let user = named.parse().ok();
    let user = user.ok_or_else(|| Error::not_found("user"))?;
    let old = text(&record, "oldPassword").filter(|old| !old.is_empty());
    let old = old.map(Password::new);
    let new = new_password(&record)?;
    let (authentication, visitor) = (request.authentication(), request.visitor());
    let cookie = passwords::change(authentication, &visitor, actor, user, old.as_ref(), &new)?;
    let reply = message("password", "Password updated");
    // Setting a password ends all sessions of the user, so the current one gets a new cookie.
    Ok(match cookie {
        Some(cookie) => request.with_cookie(reply, &cookie),
        None => reply,
    })
}

/// `POST admin/authentication/password_reset/`
pub fn send_reset(request: &Request) -> Result<Reply> {
    let record = envelope::only_record(request, "password_reset")?;
    let email = text(&record, "email").unwrap_or_default();
    passwords::send_reset(
        request.authentication(),
        &request.visitor(),
        &request.mail_site(),
        email,
    )?;
    Ok(message(
        "password_reset",
        "Check your email for further instructions.",
    ))
}

/// `PUT admin/authentication/password_reset/`
pub fn reset(request: &Request) -> Result<Reply> {
    let record = envelope::only_record(request, "password_reset")?;
    let token = text(&record, "token").unwrap_or_default();
    let new = new_password(&record)?;
    let cookie = passwords::reset(request.authentication(), &request.visitor(), token, &new)?;
    let reply = message("password_reset", "Password updated");
    Ok(request.with_cookie(reply, &cookie))
}

/// `POST admin/authentication/reset/`, which responds with the result of the reset.
pub fn reset_everything(request: &Request) -> Result<Reply> {
    let ResetOutcome { keys, users } =
        security::reset_everything(request.site(), request.actor()?)?;
    let body = json!({ "security_action": [{
        "action": "reset_authentication",
        "api_keys_rotated": keys,
        "users_locked": users,
    }] });
    Ok(Reply::json(body.to_string().into_bytes()))
}

/// `POST admin/authentication/global_password_reset/`, which responds without a body (specification
/// 7).
pub fn reset_everything_silently(request: &Request) -> Result<Reply> {
    security::reset_everything(request.site(), request.actor()?)?;
    Ok(Reply::no_content())
}

/// Returns the new password in a record, with its repetition if one was sent.
fn new_password(record: &Map<String, Value>) -> Result<NewPassword> {
    let password = text(record, "newPassword");
    let password =
        password.ok_or_else(|| Error::new(Kind::Validation, "\"newPassword\" is required."))?;
    Ok(NewPassword {
        password: Password::new(password),
        repeated: text(record, "ne2Password").map(Password::new),
    })
}

fn text<'a>(record: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    record.get(name).and_then(Value::as_str)
}

fn message(resource: &str, message: &str) -> Reply {
    let body = json!({ resource: [{ "message": message }] });
    Reply::json(body.to_string().into_bytes())
}
