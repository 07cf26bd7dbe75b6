//! Signing in and out (Ghost 6.65, recorded; the body of a 201 is empty as the specification says, part 3.2).

use http::{StatusCode, header};
use serde_json::Value;

use super::{Reply, Request, cookie, reply::ReplyBody};
use crate::{
    admin::{sessions, sign_in},
    domain::password::Password,
    error::{Error, Kind, Result},
};

/// `POST admin/session/`
pub fn add(request: &Request) -> Result<Reply> {
    let body = request.json()?.unwrap_or_default();
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let given = (text("username"), text("password"));
    let (Some(email), Some(password)) = given else {
        return Err(Error::new(
            Kind::Unauthorized,
            "An e-mail address and a password are needed to sign in.",
        )
        .help("Send them as \"username\" and \"password\"."));
    };
    let password = Password::new(password);
    let cookie = sign_in::sign_in(request.door(), &request.visitor(), email, &password)?;
    // Recorded with a body, which the specification does not want; what it depends on is told all the same.
    let created = Reply::new(StatusCode::CREATED, ReplyBody::Empty)
        .with_text(header::VARY, "Accept-Version, Accept-Encoding");
    Ok(request.with_cookie(created, &cookie))
}

/// `DELETE admin/session/`
pub fn delete(request: &Request) -> Result<Reply> {
    let visitor = request.visitor();
    if let Some(session) = visitor.session(&request.edition.catalog, request.now) {
        cookie::check_origin(&request.head.headers, &session.origin, request.addresses)?;
    }
    let reply = Reply::no_content();
    Ok(match sessions::sign_out(request.door(), &visitor)? {
        Some(cookie) => request.with_cookie(reply, &cookie),
        None => request.without_cookie(reply),
    })
}
