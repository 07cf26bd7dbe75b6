//! Content API keys, and the rate limit against guessing them.

use std::net::IpAddr;

use jiff::Timestamp;

use super::params::QueryParameters;
use crate::{
    admin::rate_limits::RateLimits,
    catalog::{Catalog, KeyUse},
    domain::rate_limit::{RateLimitKey, WRONG_KEYS_MAX},
    error::{Error, Kind, Result},
};

/// Checks that the query has a valid Content API key.
///
/// # Errors
///
/// `NoPermission` without a key, `Unauthorized` for an unknown key or a key of another kind,
/// `BadRequest` for several keys.
pub fn check(catalog: &Catalog, query: &QueryParameters) -> Result<()> {
    let mut keys = query.all("key");
    let key = keys.next().unwrap_or_default();
    if keys.next().is_some() || query.is_indexed("key") {
        return Err(
            Error::new(Kind::BadRequest, "The request has more than one key.")
                .code("INVALID_REQUEST"),
        );
    }
    if key.is_empty() {
        return Err(
            Error::unauthenticated("The request has no Content API key.")
                .help("Add ?key= and a Content API key. `galley key list` lists the keys."),
        );
    }
    match catalog.key_use(key) {
        Some(KeyUse::Content) => Ok(()),
        Some(KeyUse::Admin) => Err(Error::new(
            Kind::Unauthorized,
            "The key is the secret of an Admin API key, not a Content API key.",
        )
        .code("INVALID_API_KEY_TYPE")),
        None => Err(Error::new(Kind::Unauthorized, "Unknown Content API key.")
            .help("`galley key list` lists the keys.")
            .code("UNKNOWN_CONTENT_API_KEY")),
    }
}

/// Checks whether requests from `client` are allowed at `now`. Does not take a lock.
///
/// # Errors
///
/// `TooManyRequests` for an hour after [`WRONG_KEYS_MAX`] wrong keys.
pub fn admit(rate_limits: &RateLimits, client: IpAddr, now: Timestamp) -> Result<()> {
    let wrong_keys = &rate_limits.wrong_keys;
    if wrong_keys.is_refused(RateLimitKey::client(client), now) {
        let rule = format!("After {WRONG_KEYS_MAX} wrong keys, requests are refused for an hour.");
        return Err(
            Error::new(Kind::TooManyRequests, "Too many requests with wrong keys.").context(rule),
        );
    }
    Ok(())
}
