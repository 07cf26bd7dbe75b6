//! Sign-in and sign-out (Ghost 6.65, recorded). The body of a 201 is empty, as the specification
//! requires (section 3.2).

use http::{StatusCode, header};
use serde_json::Value;

use super::{Reply, Request, cookie, reply::ReplyBody};
use crate::{
    admin::{
        authentication::AuthClient,
        codes, sessions,
        sign_in::{self, CodeReason, SignInOutcome, SignInRequest},
    },
    api::error,
    domain::{password::Password, session::Code},
    error::{Error, Kind, Result},
};

/// `POST admin/session/`
pub fn add(request: &Request) -> Result<Reply> {
    let body = request.json()?.unwrap_or_default();
    let text = |name: &str| {
        let text = body.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    };
    let (Some(email), Some(password)) = (text("username"), text("password")) else {
        return Err(Error::new(
            Kind::Unauthorized,
            "An e-mail address and a password are required to sign in.",
        )
        .help("Send them as \"username\" and \"password\"."));
    };
    let given = SignInRequest {
        email,
        password: &Password::new(password),
        code: text("token"),
    };
    let visitor = request.visitor();
    let admission = sign_in::sign_in(
        request.authentication(),
        &visitor,
        &request.mail_site(),
        &given,
    )?;
    Ok(match admission {
        SignInOutcome::SignedIn(cookie) => {
            // Ghost sends a body, which the specification does not allow. The `Vary` is Ghost's.
            let created = Reply::new(StatusCode::CREATED, ReplyBody::Empty)
                .with_text(header::VARY, "Accept-Version, Accept-Encoding");
            request.with_cookie(created, &cookie)
        }
        SignInOutcome::NeedsCode(cookie, reason) => {
            request.with_cookie(Reply::failure(needs_code(reason)), &cookie)
        }
    })
}

/// `DELETE admin/session/`
pub fn delete(request: &Request) -> Result<Reply> {
    let visitor = request.visitor();
    check_origin(request, &visitor)?;
    let reply = Reply::no_content();
    Ok(
        match sessions::sign_out(request.authentication(), &visitor)? {
            Some(cookie) => request.with_cookie(reply, &cookie),
            None => request.without_cookie(reply),
        },
    )
}

/// `PUT admin/session/verify/`: checks the code that was sent by mail.
pub fn verify(request: &Request) -> Result<Reply> {
    let visitor = request.visitor();
    check_origin(request, &visitor)?;
    let body = request.json()?.unwrap_or_default();
    let given = given_code(body.get("token"));
    Ok(
        match codes::verify(request.authentication(), &visitor, None, &given)? {
            Some(cookie) => request.with_cookie(Reply::text(StatusCode::OK, "OK"), &cookie),
            None => Reply::text(error::status(Kind::Unauthorized), "Unauthorized"),
        },
    )
}

/// Returns the code that a client sent as text or as a number, which has no leading zeros in JSON.
fn given_code(token: Option<&Value>) -> String {
    match token {
        Some(Value::String(code)) => code.clone(),
        Some(Value::Number(code)) => format!("{:0>1$}", code.to_string(), Code::DIGITS),
        _ => String::new(),
    }
}

/// `POST admin/session/verify/`: sends another code.
pub fn send_code(request: &Request) -> Result<Reply> {
    let visitor = request.visitor();
    check_origin(request, &visitor)?;
    let cookie = codes::send_again(request.authentication(), &visitor, &request.mail_site())?;
    Ok(request.with_cookie(Reply::text(StatusCode::OK, "OK"), &cookie))
}

fn check_origin(request: &Request, visitor: &AuthClient) -> Result<()> {
    match visitor.session(&request.snapshot.catalog, request.now) {
        // Authentication checks the origin for all other endpoints, but these do not require it.
        Some(session) => {
            let origins = request.api.origins(request.site_urls);
            cookie::check_origin(request.head, &session.origin, &origins)
        }
        None => Ok(()),
    }
}

/// Returns the error that makes clients prompt for the code (specification 3.2).
fn needs_code(reason: CodeReason) -> Error {
    let (message, code) = match reason {
        CodeReason::NewDevice => (
            "You are signing in from a new browser. Enter the code that was sent to you by mail.",
            "2FA_NEW_DEVICE_DETECTED",
        ),
        CodeReason::TwoFactors => (
            "To complete the sign-in, enter the code that was sent to you by mail.",
            "2FA_TOKEN_REQUIRED",
        ),
    };
    Error::new(Kind::NeedsSecondFactor, message)
        .help("Send it to /session/verify/ as \"token\", with the cookie of this response.")
        .code(code)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn code_sent_as_a_number_keeps_its_leading_zeros() {
        for (token, code) in [
            (json!("012345"), "012345"),
            (json!(12345), "012345"),
            (json!(0), "000000"),
            (json!(987_654), "987654"),
            (json!(null), ""),
        ] {
            assert_eq!(given_code(Some(&token)), code);
        }
    }
}
