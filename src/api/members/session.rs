//! The signed-in member, identified by the cookie of a browser.

use std::sync::Arc;

use http::{HeaderValue, header};

use super::cors;
use crate::{
    api::{
        Api, SnapshotCache,
        admin::cookie::http_date,
        request::{Fields, HeadRef},
        response::Response,
    },
    domain::{member::Member, member_session::MemberSession, secret::Secret},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// The name of the cookie (Ghost 6.65, observed).
pub const COOKIE: &str = "ghost-members-ssr";

/// The name of the cookie with its signature.
const SIGNATURE_COOKIE: &str = "ghost-members-ssr.sig";

/// Returns the member who is signed in with the cookie. The cookie is ignored in a request from a page
/// whose origin is neither the site's own nor listed.
pub fn of_cookie(
    api: &Api,
    snapshot: &SiteSnapshot,
    cache: &SnapshotCache,
    head: &HeadRef,
) -> Option<Arc<Member>> {
    let origin = cors::origin(head.fields);
    if origin.is_some_and(|origin| !api.is_reader_origin(cache, origin)) {
        return None;
    }
    let value = sent(head.fields, COOKIE)?;
    let signature = sent(head.fields, SIGNATURE_COOKIE)?;
    let catalog = &snapshot.catalog;
    let secret = catalog.member_secret.as_ref()?;
    let session = MemberSession::from_cookie(secret, value, signature)?;
    let member = catalog.members.get(session.proof.member)?;
    let now = api.site.now();
    // Checked on each use, because the member may have signed out everywhere since.
    let is_valid = session.is_valid_for(member, now);
    is_valid.then(|| Arc::clone(member).as_of(now))
}

fn sent<'a>(fields: Fields<'a>, wanted: &str) -> Option<&'a str> {
    fields
        .values(&header::COOKIE)
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// Signs a member in: adds the cookie to a response.
pub fn set(
    response: &mut Response,
    site_urls: &SiteUrls,
    secret: &Secret,
    session: &MemberSession,
) {
    let expires = http_date(session.ends_at);
    let value = session.to_string();
    let signature = session.signature(secret);
    add(response, site_urls, &value, &signature, &expires);
}

/// Signs a member out: deletes the cookie.
pub fn remove(response: &mut Response, site_urls: &SiteUrls) {
    let past = http_date(jiff::Timestamp::UNIX_EPOCH);
    add(response, site_urls, "", "", &past);
}

fn add(response: &mut Response, site_urls: &SiteUrls, value: &str, signature: &str, expires: &str) {
    let subdirectory = site_urls.subdirectory();
    let path = if subdirectory.is_empty() {
        "/"
    } else {
        subdirectory
    };
    let is_https = site_urls.url().scheme() == "https";
    let secure = if is_https { "; Secure" } else { "" };
    for (name, value) in [(COOKIE, value), (SIGNATURE_COOKIE, signature)] {
        let cookie = format!(
            "{name}={value}; Path={path}; Expires={expires}; SameSite=Lax; HttpOnly{secure}"
        );
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers.append(header::SET_COOKIE, cookie);
        }
    }
}
