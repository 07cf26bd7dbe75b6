//! The reader of a request: the member with the cookie of a browser, or with the identity token of
//! a program.

use std::sync::Arc;

use http::header;

use super::session;
use crate::{
    api::{
        Api, SnapshotCache,
        request::{Fields, HeadRef},
    },
    domain::member::Member,
    site::SiteSnapshot,
};

/// The schemes of `Authorization` with an identity token.
const SCHEMES: [&str; 2] = ["Bearer ", "GhostMembers "];

/// Returns whether a request may come from a member, or from a page of a listed origin. Takes one pass
/// over the header fields and does not allocate.
pub fn has_credentials(api: &Api, fields: Fields) -> bool {
    match fields {
        Fields::Map(_) => {
            fields.values(&header::COOKIE).any(has_cookie)
                || fields.values(&header::AUTHORIZATION).any(is_token)
                || fields
                    .values(&header::ORIGIN)
                    .any(|origin| api.is_listed_reader_origin(origin))
        }
        Fields::Lines(lines) => lines.iter().any(|line| {
            let is = |name: &str| line.name.eq_ignore_ascii_case(name);
            let value = || str::from_utf8(line.value).unwrap_or_default();
            // Comparing lengths first excludes most names immediately.
            match line.name.len() {
                6 if is("cookie") => has_cookie(value()),
                6 if is("origin") => api.is_listed_reader_origin(value()),
                13 if is("authorization") => is_token(value()),
                _ => false,
            }
        }),
    }
}

fn has_cookie(cookies: &str) -> bool {
    memchr::memmem::find(cookies.as_bytes(), session::COOKIE.as_bytes()).is_some()
}

fn is_token(authorization: &str) -> bool {
    SCHEMES
        .iter()
        .any(|scheme| authorization.starts_with(scheme))
}

/// Returns the member who sent a request, identified by token or by cookie.
pub fn reader(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    head: &HeadRef,
) -> Option<Arc<Member>> {
    let mut authorizations = head.fields.values(&header::AUTHORIZATION);
    let token = authorizations.find_map(|value| {
        let scheme = SCHEMES.iter().find(|scheme| value.starts_with(**scheme))?;
        Some(&value[scheme.len()..])
    });
    match token {
        Some(token) => {
            let now = api.site.now();
            api.verified_tokens
                .member_of(snapshot, &cache.site_urls, token, now)
        }
        None => session::of_cookie(api, snapshot, cache, head),
    }
}
