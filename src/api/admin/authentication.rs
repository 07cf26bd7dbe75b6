//! Authenticates requests: by the token in the header, or by the session cookie. The header takes
//! precedence (specification 5.2; details as recorded from Ghost 6.65).

use http::{HeaderValue, header};

use super::{
    super::{Api, call::Call, request::RequestHead, router::ApiPath},
    cookie,
    token::Token,
};
use crate::{
    admin::{sessions, staff_tokens},
    catalog::{Catalog, KeyHolder},
    domain::{
        actor::{Actor, SignInMethod},
        user::{User, UserStatus},
    },
    error::{Error, Kind, Result},
};

/// The scheme of tokens, case-insensitive.
const SCHEME: &str = "Ghost";

/// Authenticates the sender of a request. A single-use token is consumed, unless the request is
/// only redirected.
///
/// # Errors
///
/// `NoPermission` if there are no credentials, `Unauthorized` and `BadRequest` for an invalid
/// token, `BadRequest` for a cookie sent by another site's page, `NotFound` for the token of a
/// suspended user.
pub fn authenticate(api: &Api, call: &Call, is_redirected: bool) -> Result<Actor> {
    match call.head.headers.get(header::AUTHORIZATION) {
        Some(header) => by_token(api, call, header, is_redirected),
        None => by_session(api, call),
    }
}

fn by_token(api: &Api, call: &Call, header: &HeaderValue, is_redirected: bool) -> Result<Actor> {
    let token = Token::parse(token_text(header)?)?;
    let key = token.key_id()?;
    let catalog = &call.snapshot.catalog;
    let Some((id, holder)) = key.and_then(|id| Some((id, catalog.key_holder(id)?))) else {
        return Err(Error::new(Kind::Unauthorized, "Unknown Admin API key.")
            .help("`galley key list` lists the keys of integrations.")
            .code("UNKNOWN_ADMIN_API_KEY"));
    };
    let key = match holder {
        KeyHolder::Integration(integration) => &integration.admin_key,
        KeyHolder::Staff(token) => &token.key,
        KeyHolder::ContentKey => {
            return Err(
                Error::new(Kind::Unauthorized, "The token names a Content API key.")
                    .code("INVALID_API_KEY_TYPE"),
            );
        }
    };
    token.verify(&key.secret, call.path.version(), api.site.now())?;
    if let Some(single) = token.single().filter(|_| !is_redirected)
        && !staff_tokens::use_once(&api.site, id, &single.name, single.ends)?
    {
        return Err(
            Error::invalid_token(Kind::Unauthorized, "it has been used before")
                .context("A token with a \"jti\" is valid for one request."),
        );
    }
    match holder {
        KeyHolder::Staff(token) => {
            let user = catalog.users.get(token.user);
            let user = user.filter(|user| may_act(user)).ok_or_else(|| {
                Error::not_found("User").context("The user of this token is suspended or deleted.")
            })?;
            Ok(actor(user, SignInMethod::StaffToken))
        }
        KeyHolder::Integration(integration) => Ok(Actor::Integration {
            id: integration.id,
            scope: integration.scope.unwrap_or(api.options.integration_scope),
        }),
        KeyHolder::ContentKey => Err(missing_credentials()),
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
        .help("It looks like this: Authorization: Ghost TOKEN")
        .code("INVALID_AUTH_HEADER"))
    }
}

fn by_session(api: &Api, call: &Call) -> Result<Actor> {
    let secret = cookie::sent(&call.head.headers).ok_or_else(missing_credentials)?;
    let catalog = &call.snapshot.catalog;
    let session = catalog.sessions.get(&secret.digest());
    let session = session.filter(|session| session.is_signed_in(api.site.now()));
    let session = session.ok_or_else(missing_credentials)?;
    let origins = api.origins(&call.cache.site_urls);
    cookie::check_origin(call.head, &session.origin, &origins)?;
    let user = catalog.users.get(session.user).filter(|user| may_act(user));
    let user = user.ok_or_else(missing_credentials)?;
    sessions::record_use(&api.site, session)?;
    Ok(actor(user, SignInMethod::Session))
}

fn may_act(user: &User) -> bool {
    !matches!(user.status, UserStatus::Inactive | UserStatus::Locked)
}

fn actor(user: &User, means: SignInMethod) -> Actor {
    Actor::User {
        id: user.id,
        role: user.role,
        means,
    }
}

/// Returns whether a request has a valid token or cookie, as far as memory tells: such clients may
/// send long bodies.
pub fn has_valid_credentials(
    api: &Api,
    catalog: &Catalog,
    head: &RequestHead,
    path: &ApiPath,
) -> bool {
    let now = api.site.now();
    let has_valid_token = |header: &HeaderValue| -> Result<bool> {
        let token = Token::parse(token_text(header)?)?;
        let key = token.key_id()?;
        let key = match key.and_then(|id| catalog.key_holder(id)) {
            Some(KeyHolder::Integration(integration)) => &integration.admin_key,
            Some(KeyHolder::Staff(token)) => &token.key,
            Some(KeyHolder::ContentKey) | None => return Ok(false),
        };
        Ok(token.verify(&key.secret, path.version(), now).is_ok())
    };
    match head.headers.get(header::AUTHORIZATION) {
        Some(header) => has_valid_token(header).unwrap_or(false),
        None => cookie::sent(&head.headers)
            .and_then(|secret| catalog.sessions.get(&secret.digest()))
            .is_some_and(|session| session.is_signed_in(now)),
    }
}

/// Returns the error for a request without credentials.
pub fn missing_credentials() -> Error {
    Error::unauthenticated("The request has neither a token nor a session cookie.")
        .help("Send a token in the header Authorization, or sign in first.")
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
