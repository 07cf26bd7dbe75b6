//! Signing in with an email address and a password (specification 3.2 and 5.2; details as recorded
//! from Ghost 6.65).

use std::sync::Arc;

use super::{
    auth_mails::MailSite,
    authentication::{
        AuthClient, AuthContext, Cookie, admit, check_password, suspended, unknown, with_counting,
        wrong_password,
    },
    codes, passwords,
};
use crate::{
    catalog::Catalog,
    domain::{
        credentials::Credentials,
        password::{self, Password},
        user::{User, UserStatus},
    },
    error::Result,
};

/// The data of a sign-in.
#[derive(Debug)]
pub struct SignInRequest<'a> {
    /// The email address, in any case.
    pub email: &'a str,
    /// The password.
    pub password: &'a Password,
    /// The code from a previous mail, if the user already has one.
    pub code: Option<&'a str>,
}

/// The result of a sign-in.
#[derive(Debug)]
pub enum SignInOutcome {
    /// The user is signed in.
    SignedIn(Cookie),
    /// A code that was sent by mail is required.
    NeedsCode(Cookie, CodeReason),
}

/// The reason why a code is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeReason {
    /// The account has not been verified with a code in this browser.
    NewDevice,
    /// The site requires it for every sign-in.
    TwoFactors,
}

/// Signs a user in, and ends the previous session of the browser.
///
/// # Errors
///
/// `NotFound` if no user has the email address; `Validation` with the code `PASSWORD_INCORRECT`;
/// `TooManyRequests`; `NoPermission` for a suspended user; `PasswordResetRequired` for a locked
/// user, who is sent a reset link; `Unauthorized` for a wrong code.
pub fn sign_in(
    authentication: AuthContext,
    visitor: &AuthClient,
    mail_site: &MailSite,
    given: &SignInRequest,
) -> Result<SignInOutcome> {
    let snapshot = Arc::clone(&authentication.site.current());
    let catalog = &snapshot.catalog;
    let user = catalog.user_by_email(given.email);
    let is_known =
        user.is_some_and(|user| visitor.is_known_to(user, catalog, authentication.site.now()));
    let credentials = with_counting(authentication, visitor, given.email, is_known, || {
        check_password(&snapshot, user.map(Arc::as_ref), given.password).inspect_err(|_| {
            tracing::warn!(client = %visitor.client, "staff sign-in failed");
        })
    })?;
    let user = user.ok_or_else(unknown)?;
    // After the password, so that only its holder learns that the account is suspended or locked.
    match user.status {
        UserStatus::Inactive => return Err(suspended()),
        UserStatus::Locked => {
            return Err(passwords::refuse_locked(authentication, mail_site, user));
        }
        _ => {}
    }
    let reason = code_reason(authentication, catalog, user, is_known);
    if let (Some(_), Some(code)) = (reason, given.code) {
        let cookie = codes::verify(authentication, visitor, Some(user.id), code)?;
        return cookie.map(SignInOutcome::SignedIn).ok_or_else(codes::wrong);
    }
    // Counted outside the transaction, which may run several times.
    if reason.is_some() {
        codes::count_sent(authentication, given.email)?;
    }
    // Outdated hashes are renewed at sign-in, the only time when the password is known. Hashed
    // outside the transaction, which blocks other changes.
    let renewed = if password::is_up_to_date(&credentials.password_hash) {
        None
    } else {
        Some(Credentials {
            password_hash: given.password.hash()?,
        })
    };
    authentication.site.write(|transaction| {
        // The password may have been changed while this one was checked.
        if transaction.stored_credentials(user.id)?.as_ref() != Some(&credentials) {
            return Err(wrong_password());
        }
        if let Some(renewed) = &renewed {
            transaction.save_credentials(user.id, renewed)?;
        }
        match reason {
            // A first sign-in verifies the browser: the user has just been invited by mail, or has
            // set up the site.
            None => admit(
                transaction,
                user.id,
                visitor,
                is_known || user.last_seen.is_none(),
            )
            .map(SignInOutcome::SignedIn),
            Some(reason) => codes::ask(transaction, user.id, visitor, mail_site)
                .map(|cookie| SignInOutcome::NeedsCode(cookie, reason)),
        }
    })
}

/// Returns the reason why `user` needs a code; `None` if the user needs none.
fn code_reason(
    authentication: AuthContext,
    catalog: &Catalog,
    user: &User,
    is_known: bool,
) -> Option<CodeReason> {
    if catalog.settings.is_on("require_email_mfa") {
        return Some(CodeReason::TwoFactors);
    }
    let is_new = authentication.device_verification && !is_known && user.last_seen.is_some();
    is_new.then_some(CodeReason::NewDevice)
}
