//! The path with which `galley doctor` checks whether a URL reaches this site: `/ghost/.here/CHALLENGE`. It is below the
//! prefix, because proxies forward all paths below the prefix.

use http::StatusCode;

use super::{Api, health, response::Response};
use crate::{domain::site_proof, site::SiteSnapshot};

/// Returns the response to a challenge; `None` if `path`, which is relative to the site, is not a challenge.
pub(super) fn respond(api: &Api, snapshot: &SiteSnapshot, path: &str) -> Option<Response> {
    let below = path
        .strip_prefix('/')?
        .strip_prefix(&*api.options.path_prefix)?;
    let challenge = below.strip_prefix('/')?.strip_prefix(site_proof::FOLDER)?;
    let secret = snapshot.catalog.member_secret.as_ref()?;
    let proof = site_proof::response(secret, challenge)?;
    Some(health::plain(StatusCode::OK, format!("{proof}\n")))
}
