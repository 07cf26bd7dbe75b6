//! Requests of which two programs may make two different ones.
//!
//! hyper refuses most of them: two lengths, lengths that are no numbers, folded lines, spaces before colons. What it lets pass
//! is refused here, so that nobody hides a request behind another from a proxy before this server (RFC 9112, sections 3.2 and
//! 6.1).

use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, Version};

/// Whether it is not certain where the body of the request ends.
pub(super) fn is_ambiguous(headers: &HeaderMap) -> bool {
    headers.get_all(TRANSFER_ENCODING).iter().nth(1).is_some()
}

/// Whether the request names one host, as it must; HTTP/1.0 need not name any.
pub(super) fn names_one_host(headers: &HeaderMap, version: Version) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host.as_bytes()),
        (None, _) => version != Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

/// Whether it is written like a host with or without a port (RFC 3986, section 3.2.2): not empty, and of such characters.
pub(super) fn is_host(value: &[u8]) -> bool {
    let is_allowed =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+;=:[]%".contains(byte);
    !value.is_empty() && value.iter().all(is_allowed)
}
