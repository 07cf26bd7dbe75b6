//! Authenticates requests: by the token in the header, or by the session cookie. The header takes
//! precedence (specification 5.2; details as recorded from Ghost 6.65).

use std::sync::OnceLock;

use http::{HeaderValue, header};

use super::{
    super::{Api, request::RequestHead},
    cookie,
    request::missing_credentials,
    token::{Token, VerifiedToken},
};
use crate::{
    admin::{sessions, staff_tokens},
    catalog::{Catalog, KeyHolder},
    domain::{
        actor::{Actor, SignInMethod},
        integration::ApiKey,
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
    id::Id,
    site_urls::SiteUrls,
};

/// The scheme of tokens, case-insensitive.
const SCHEME: &str = "Ghost";

/// The token of one request. It is verified on first use, and the result is cached.
#[derive(Default)]
pub struct RequestToken(OnceLock<Verification>);

/// The result of verifying a token with the keys of one commit.
struct Verification {
    revision: u64,
    outcome: Result<SignedToken>,
}

/// A verified token and the key that signed it.
#[derive(Clone)]
struct SignedToken {
    key: Id,
    token: VerifiedToken,
}

/// The sender of a request, before authentication.
#[derive(Clone, Copy)]
pub struct Sender<'a> {
    /// The request without its body.
    pub head: &'a RequestHead,
    /// The old version in the requested path.
    pub version: Option<&'static str>,
    /// The request's token.
    pub token: &'a RequestToken,
    /// The catalog that decides on the sender's rights.
    pub catalog: &'a Catalog,
    /// The URLs of the site.
    pub site_urls: &'a SiteUrls,
}

/// Authenticates the sender of a request. A single-use token is consumed, unless the request is
/// only redirected.
///
/// # Errors
///
/// `NoPermission` if there are no credentials, `Unauthorized` and `BadRequest` for an invalid
/// token, `BadRequest` for a cookie sent by another site's page, `NotFound` for the token of a
/// suspended user.
pub fn authenticate(api: &Api, sender: Sender, is_redirected: bool) -> Result<Actor> {
    match sender.head.headers.get(header::AUTHORIZATION) {
        Some(header) => by_token(api, sender, header, is_redirected),
        None => by_session(api, sender),
    }
}

fn by_token(api: &Api, sender: Sender, header: &HeaderValue, is_redirected: bool) -> Result<Actor> {
    let signed = sender.signed_token(header)?;
    let (holder, _) = signing_key(sender.catalog, Some(signed.key))?;
    signed.token.check_times(api.site.now())?;
    // Consumed after the signature and the times were checked, so that a client without the secret
    // cannot use up a token.
    if let Some(single_use) = signed.token.single_use().filter(|_| !is_redirected)
        && !staff_tokens::use_once(&api.site, signed.key, &single_use.name, single_use.ends)?
    {
        return Err(
            Error::invalid_token(Kind::Unauthorized, "it has been used before")
                .context("A token with a \"jti\" is valid for one request."),
        );
    }
    match holder {
        KeyHolder::Staff(token) => {
            let user = sender.catalog.users.get(token.user);
            let user = user.filter(|user| may_act(user)).ok_or_else(|| {
                Error::not_found("User").context("The user of this token is suspended or deleted.")
            })?;
            Ok(actor(user, SignInMethod::StaffToken))
        }
        // The scope of the integration takes precedence over that of the site.
        KeyHolder::Integration(integration) => Ok(Actor::Integration {
            id: integration.id,
            scope: integration.scope.unwrap_or(api.live().integration_scope),
        }),
        KeyHolder::ContentKey => Err(missing_credentials()),
    }
}

impl Sender<'_> {
    /// Returns the request's token, signed with a key in `catalog`. The signature is verified once, and
    /// again after later commits only if the key was removed or replaced, or the verification failed.
    fn signed_token(&self, header: &HeaderValue) -> Result<SignedToken> {
        let verify = || self.verify(header);
        let first = self.token.0.get_or_init(|| Verification {
            revision: self.catalog.revision,
            outcome: verify(),
        });
        match &first.outcome {
            outcome if first.revision == self.catalog.revision => outcome.clone(),
            Ok(signed) if signed.is_signed_by(self.catalog) => Ok(signed.clone()),
            _ => verify(),
        }
    }

    fn verify(&self, header: &HeaderValue) -> Result<SignedToken> {
        let token = Token::parse(token_text(header)?)?;
        let key = token.key_id()?;
        let (_, key) = signing_key(self.catalog, key)?;
        Ok(SignedToken {
            key: key.id,
            token: token.verify(&key.secret, self.version)?,
        })
    }
}

impl SignedToken {
    /// Returns whether the key that signed the token still exists, with the same secret.
    fn is_signed_by(&self, catalog: &Catalog) -> bool {
        signing_key(catalog, Some(self.key))
            .is_ok_and(|(_, key)| self.token.is_signed_with(&key.secret))
    }
}

/// Returns the key with this identifier and its holder, if the key may sign tokens.
fn signing_key(catalog: &Catalog, id: Option<Id>) -> Result<(&KeyHolder, &ApiKey)> {
    match id.and_then(|id| catalog.key_holder(id)) {
        Some(holder @ KeyHolder::Integration(integration)) => Ok((holder, &integration.admin_key)),
        Some(holder @ KeyHolder::Staff(token)) => Ok((holder, &token.key)),
        Some(KeyHolder::ContentKey) => Err(Error::new(
            Kind::Unauthorized,
            "The token names a Content API key.",
        )
        .code("INVALID_API_KEY_TYPE")),
        None => Err(Error::new(Kind::Unauthorized, "Unknown Admin API key.")
            .help("`galley key list` lists the keys of integrations.")
            .code("UNKNOWN_ADMIN_API_KEY")),
    }
}

/// Returns the token after the scheme and one space (Ghost 6.65, observed: two are an error).
fn token_text(header: &HeaderValue) -> Result<&str> {
    let words = header.to_str().ok().map(str::trim);
    let (scheme, token) = words
        .and_then(|words| words.split_once(' '))
        .unwrap_or_default();
    let is_token = !token.is_empty() && !token.starts_with(' ');
    if scheme.eq_ignore_ascii_case(SCHEME) && is_token {
        Ok(token)
    } else {
        Err(Error::new(
            Kind::Unauthorized,
            "The Authorization header contains no token.",
        )
        .help("Expected format: Authorization: Ghost TOKEN")
        .code("INVALID_AUTH_HEADER"))
    }
}

fn by_session(api: &Api, sender: Sender) -> Result<Actor> {
    let secret = cookie::session_secret(&sender.head.headers).ok_or_else(missing_credentials)?;
    // Sessions are stored under digests, so a copy of the store does not contain usable secrets.
    let session = sender.catalog.sessions.get(&secret.digest());
    let session = session.filter(|session| session.is_signed_in(api.site.now()));
    let session = session.ok_or_else(missing_credentials)?;
    let origins = api.origins(sender.site_urls);
    cookie::check_origin(sender.head, &session.origin, &origins)?;
    let user = sender.catalog.users.get(session.user);
    let user = user.filter(|user| may_act(user));
    let user = user.ok_or_else(missing_credentials)?;
    sessions::record_use(&api.site, session)?;
    Ok(actor(user, SignInMethod::Session))
}

fn may_act(user: &User) -> bool {
    !matches!(user.status, UserStatus::Inactive | UserStatus::Locked)
}

fn actor(user: &User, method: SignInMethod) -> Actor {
    Actor::User {
        id: user.id,
        role: user.role,
        method,
    }
}

/// Returns whether a request has a valid token or cookie, judged from memory only. Such clients may
/// send long bodies.
pub fn has_valid_credentials(api: &Api, sender: Sender) -> bool {
    let now = api.site.now();
    match sender.head.headers.get(header::AUTHORIZATION) {
        Some(header) => sender
            .signed_token(header)
            .is_ok_and(|signed| signed.token.check_times(now).is_ok()),
        None => cookie::session_secret(&sender.head.headers)
            .and_then(|secret| sender.catalog.sessions.get(&secret.digest()))
            .is_some_and(|session| session.is_signed_in(now)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_follows_the_scheme_after_one_space() {
        let token = |text: &'static str| {
            let header = HeaderValue::from_static(text);
            token_text(&header).map(str::to_owned)
        };
        assert_eq!(token("Ghost abc").unwrap(), "abc");
        assert_eq!(token("ghost abc ").unwrap(), "abc");
        for wrong in ["Ghost  abc", "Ghost ", "Ghost", "Bearer abc", ""] {
            let error = token(wrong).unwrap_err();
            assert_eq!(error.code_name(), Some("INVALID_AUTH_HEADER"), "{wrong}");
        }
    }
}
