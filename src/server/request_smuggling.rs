//! Rejects requests that two programs may parse differently (request smuggling).
//!
//! hyper refuses most of them: two lengths, lengths that are not numbers, folded lines, spaces
//! before colons. The requests that hyper accepts are refused here, so that no client can hide a
//! request inside another from a proxy in front of this server (RFC 9112, sections 3.2 and 6.1).

use http::header::{HOST, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue, Version};

/// Returns whether the end of the request's body is ambiguous: the request has a transfer coding
/// other than `chunked`, or several, of which hyper uses the last.
pub(super) fn is_ambiguous(headers: &HeaderMap) -> bool {
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (Some(coding), None) => !is_chunked(coding),
        (first, _) => first.is_some(),
    }
}

/// Returns whether the request specifies exactly one host, which is required. HTTP/1.0 does not
/// require a host.
pub(super) fn names_one_host(headers: &HeaderMap, version: Version) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_host(host.as_bytes()),
        (None, _) => version != Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

/// Returns whether `value` has the form of a host with or without a port (RFC 3986, section 3.2.2):
/// not empty, and with only allowed characters.
pub(super) fn is_host(value: &[u8]) -> bool {
    let is_allowed =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+;=:[]%".contains(byte);
    !value.is_empty() && value.iter().all(is_allowed)
}
