//! Codes sent by mail that complete a sign-in (specification 3.2; details as recorded from Ghost
//! 6.65).

use std::cell::OnceCell;

use super::{
    auth_mails::MailSite,
    authentication::{AuthClient, AuthContext, Cookie, admitted, begin, record_last_seen},
};
use crate::{
    domain::{
        rate_limit::RateLimitKey,
        secret::Secret,
        session::{Code, Session, SessionState},
        user::User,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
};

/// Completes a sign-in if `given` is the code that was sent to the user of this browser. Returns
/// the cookie to set; `None` if the code is wrong, if none was sent, or if the session belongs to
/// another user.
///
/// # Errors
///
/// `TooManyRequests` after five attempts in an hour from one client, right or wrong.
pub fn verify(
    authentication: AuthContext,
    visitor: &AuthClient,
    user: Option<Id>,
    given: &str,
) -> Result<Option<Cookie>> {
    // Right codes count as well (Ghost 6.65, recorded).
    let client = RateLimitKey::client(visitor.client);
    authentication
        .rate_limits
        .codes
        .spend(client, authentication.site)?;
    let Some(secret) = &visitor.cookie else {
        return Ok(None);
    };
    authentication.site.write(|transaction| {
        let now = transaction.now();
        let session = visitor.session(transaction.catalog(), now);
        let session = session.filter(|session| user.is_none_or(|user| user == session.user));
        let Some(mut session) = session.map(|session| Session::clone(session)) else {
            return Ok(None);
        };
        let is_right = session.verify_code(secret, given, now);
        let (user, ends_at) = (session.user, session.ends_at());
        // Failed attempts are saved as well, because their number is limited.
        transaction.save_session(session)?;
        if !is_right {
            return Ok(None);
        }
        record_last_seen(transaction, user)?;
        let secret = secret.clone();
        Ok(Some(Cookie { secret, ends_at }))
    })
}

/// Sends another code to the user of this browser, which invalidates the previous one. Returns the
/// cookie to set.
///
/// # Errors
///
/// `BadRequest` if there is no session, `TooManyRequests` after five in an hour.
pub fn send_again(
    authentication: AuthContext,
    visitor: &AuthClient,
    mail_site: &MailSite,
) -> Result<Cookie> {
    let now = authentication.site.now();
    let client = RateLimitKey::client(visitor.client);
    authentication
        .rate_limits
        .codes_again
        .spend(client, authentication.site)?;
    let no_sign_in = || {
        Error::new(Kind::BadRequest, "No sign-in is in progress.")
            .help("Enter your e-mail address and your password first.")
    };
    let secret = visitor.cookie.as_ref().ok_or_else(no_sign_in)?;
    // A transaction may run several times; the code is counted once.
    let counted = OnceCell::new();
    authentication.site.write(|transaction| {
        let catalog = transaction.catalog();
        let session = visitor.session(catalog, now);
        // A signed-out session only recognises the browser: no password was entered for it.
        let session = session.filter(|session| session.state != SessionState::SignedOut);
        let session = Session::clone(session.ok_or_else(no_sign_in)?);
        let user = catalog.users.get(session.user).ok_or_else(no_sign_in)?;
        let user = User::clone(user);
        let email = user.email.as_deref().unwrap_or_default();
        counted
            .get_or_init(|| count_sent(authentication, email))
            .clone()?;
        send(transaction, session, secret.clone(), &user, mail_site)
    })
}

/// Sends a code, and starts a session that becomes valid when the code is entered.
pub(super) fn ask(
    transaction: &mut Transaction,
    user: Id,
    visitor: &AuthClient,
    mail_site: &MailSite,
) -> Result<Cookie> {
    let user = admitted(transaction, user)?;
    let secret = Secret::generate().map_err(Error::internal)?;
    let state = SessionState::AwaitingCode;
    let session = begin(transaction, &secret, user.id, visitor, state)?;
    send(transaction, session, secret, &user, mail_site)
}

fn send(
    transaction: &mut Transaction,
    mut session: Session,
    secret: Secret,
    user: &User,
    mail_site: &MailSite,
) -> Result<Cookie> {
    let code = Code::generate().map_err(Error::internal)?;
    session.set_code(&secret, &code, transaction.now());
    let ends_at = session.ends_at();
    // The code and its mail are in one transaction, so that neither exists without the other.
    transaction.save_session(session)?;
    let to = user.email.as_deref().unwrap_or_default();
    transaction.send_mail(mail_site.sign_in_code(to, &code))?;
    Ok(Cookie { secret, ends_at })
}

/// Counts a code that is about to be sent to an account.
///
/// # Errors
///
/// `TooManyRequests` if too many codes were sent to the account within an hour.
pub(super) fn count_sent(authentication: AuthContext, email: &str) -> Result<()> {
    let account = RateLimitKey::account(email);
    authentication
        .rate_limits
        .codes_sent
        .spend(account, authentication.site)
}

/// Returns the error for a wrong code.
pub fn wrong() -> Error {
    Error::new(Kind::Unauthorized, "The code is incorrect.")
        .context("A code is valid once, for five minutes, in the browser that requested it.")
        .help("Request another one.")
}
