//! The paths at which monitoring and load balancers check this process.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    error,
    response::{Body, Response},
};
use crate::{error::Kind, site::Site};

/// The path that responds with 200 while the process serves readers.
pub const HEALTH: &str = "/healthz";

/// The path that responds with 200 only while the process also accepts changes.
pub const READINESS: &str = "/readyz";

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Returns the response if `path`, which is relative to the site, is one of these paths. They take precedence over redirects,
/// because monitoring depends on them.
pub(super) fn respond(site: &Site, path: &str) -> Option<Response> {
    match path {
        HEALTH => Some(plain(StatusCode::OK, "ok\n".to_owned())),
        READINESS => Some(match obstacle(site) {
            None => plain(StatusCode::OK, "ok\n".to_owned()),
            Some(obstacle) => plain(
                error::status(Kind::Maintenance),
                format!("{obstacle}. Readers are served, changes are refused.\n"),
            ),
        }),
        _ => None,
    }
}

/// Returns the reason if changes are refused.
fn obstacle(site: &Site) -> Option<String> {
    // The detailed reason is left out: it contains the host of the database, and any client can read this.
    match (site.store_lost_since(), site.store_refusal()) {
        (Some(time), _) => Some(format!("The database is not available since {time:.0}")),
        (None, Some(refusal)) => Some(format!(
            "The store accepts no changes since {:.0}",
            refusal.since
        )),
        (None, None) if site.accepts_changes() => None,
        (None, None) => {
            Some("This process was recently suspended or disconnected from the database".to_owned())
        }
    }
}

/// Returns the response to any request while the site is being opened. `done` of its `total` files have been read.
pub fn starting(done: u64, total: u64) -> Response {
    const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");
    let progress = match total {
        0 => String::new(),
        total => format!(" ({done} of {total} files read)"),
    };
    let text = format!("The site is being opened{progress}. Try again in a few seconds.\n");
    let mut response = plain(error::status(Kind::Maintenance), text);
    response
        .headers
        .set(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
    response
}

/// Returns a response that caches must not store.
pub(super) fn plain(status: StatusCode, text: String) -> Response {
    Response {
        status,
        headers: [
            (header::CONTENT_TYPE, PLAIN_TEXT),
            (header::CACHE_CONTROL, NO_STORE),
        ]
        .into_iter()
        .collect(),
        body: Body::Bytes(Bytes::from(text)),
    }
}
