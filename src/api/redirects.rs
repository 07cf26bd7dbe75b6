//! Redirects to paths of the site and to other sites.

use bytes::Bytes;
use http::{HeaderValue, header};

use super::{
    headers::CacheControl,
    response::{Body, Response},
};
use crate::domain::redirect::Target;

/// Returns a redirect from a site in `subdirectory` (Ghost 6.65, recorded). `None` if the location is not
/// valid in a header field.
pub(super) fn redirect(target: Target, subdirectory: &str) -> Option<Response> {
    // A location that begins with `//` names a host, so it is not on the site.
    let is_of_site = target.location.starts_with('/') && !target.location.starts_with("//");
    let location = if is_of_site {
        format!("{subdirectory}{}", target.location)
    } else {
        target.location
    };
    let cache_control = if target.permanent {
        CacheControl::Year
    } else {
        CacheControl::Public
    };
    let mut response =
        Response::redirect(target.permanent, &location, cache_control.value()).ok()?;
    let vary = HeaderValue::from_static("Accept, Accept-Encoding");
    response.headers.set(header::VARY, vary);
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers.set(header::CONTENT_TYPE, plain);
    response.body = Body::Bytes(Bytes::from(format!("This is at {location} now.\n")));
    Some(response)
}
