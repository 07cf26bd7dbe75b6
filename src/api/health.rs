//! The paths by which monitoring and load balancers see whether this process serves.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};

use super::{
    error,
    response::{Body, Response},
};
use crate::{error::Kind, site::Site};

/// The path that says that the process serves readers.
pub const HEALTH: &str = "/healthz";

/// The path that says whether it makes changes, too.
pub const READINESS: &str = "/readyz";

const PLAIN_TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Returns the response if `path`, which is relative to the site, is one of these. Monitoring depends on them, so no redirect may
/// take them over.
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

/// Returns why changes are refused, if they are.
fn obstacle(site: &Site) -> Option<String> {
    // The reason names the host of the database, and this is read by any client.
    match (site.store_lost_since(), site.store_refusal()) {
        (Some(time), _) => Some(format!("The database is not available since {time:.0}")),
        (None, Some(refusal)) => Some(format!(
            "The store accepts no changes since {:.0}",
            refusal.since
        )),
        (None, None) if site.accepts_changes() => None,
        (None, None) => {
            Some("This process was stopped or cut off from the database a moment ago".to_owned())
        }
    }
}

/// Returns the response to any request while the site is being opened, of whose files `done` of `total` have been read.
pub fn starting(done: u64, total: u64) -> Response {
    const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("5");
    let progress = match total {
        0 => String::new(),
        total => format!(" ({done} of {total} files are read)"),
    };
    let text = format!("The site is being opened{progress}. Try again in a few seconds.\n");
    let mut response = plain(error::status(Kind::Maintenance), text);
    response
        .headers
        .set(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
    response
}

/// Returns a response that no cache stores.
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
