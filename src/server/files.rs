//! Selects the requested part of a file (RFC 9110, sections 13 and 14).
//!
//! A pure function of the header fields of the request and the response; it reads no file.
//! Conditions compare `etag` and `last-modified` with the client's values as text: a date
//! identifies a version and is not compared as a time.

use std::ops::Range;

use http::header::{
    ACCEPT_RANGES, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    LAST_MODIFIED, RANGE,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

use crate::api::request::RequestHead;
use crate::api::response::{Body, Headers, Response};

/// Narrows a response that is a whole file to the requested part: 200, 206, 304 or 416.
///
/// A request for several ranges gets the whole file, as the standard allows.
pub(super) fn select(head: &RequestHead, mut response: Response) -> Response {
    let Body::File { range, .. } = &mut response.body else {
        return response;
    };
    // The handler has already selected a part, or responds with an error page.
    if response.status != StatusCode::OK || range.start != 0 {
        return response;
    }
    let length = range.end;
    if is_current(&head.headers, &response.headers) {
        return without_content(response, StatusCode::NOT_MODIFIED);
    }
    response
        .headers
        .set(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    match requested_range(head, &response.headers, length) {
        RequestedRange::All => response,
        RequestedRange::Part(part) => {
            let text = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            *range = part;
            response.status = StatusCode::PARTIAL_CONTENT;
            set_content_range(&mut response.headers, &text);
            response
        }
        RequestedRange::Beyond => {
            set_content_range(&mut response.headers, &format!("bytes */{length}"));
            without_content(response, StatusCode::RANGE_NOT_SATISFIABLE)
        }
    }
}

fn set_content_range(headers: &mut Headers, text: &str) {
    let value = HeaderValue::from_str(text).expect("invariant: digits and ASCII signs");
    headers.set(CONTENT_RANGE, value);
}

fn without_content(mut response: Response, status: StatusCode) -> Response {
    response.status = status;
    // Ghost 6.65 sends no type with a 304 either (recorded in content-cors-caching).
    response.headers.remove(&CONTENT_TYPE);
    response.body = Body::Empty;
    response
}

/// Returns whether the client has this exact version.
fn is_current(request: &HeaderMap, response: &Headers) -> bool {
    // If it is present, `if-modified-since` is ignored (RFC 9110, section 13.2.2).
    if request.contains_key(IF_NONE_MATCH) {
        return request
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|list| list.split(','))
            .map(str::trim)
            // Weak comparison, as required for this field (RFC 9110, section 13.1.2): proxies that
            // compress responses weaken the tag.
            .any(|tag| tag == "*" || is_weak_match(tag, text(response, &ETAG)));
    }
    let since = request.get(IF_MODIFIED_SINCE);
    since.is_some() && since == response.get(&LAST_MODIFIED)
}

/// Returns whether two tags match by weak comparison: they identify the same version, possibly with
/// different bytes.
fn is_weak_match(tag: &str, own: Option<&str>) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    own.is_some_and(|own| opaque(own) == opaque(tag))
}

fn text<'a>(headers: &'a Headers, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[derive(Debug, PartialEq, Eq)]
enum RequestedRange {
    All,
    Part(Range<u64>),
    Beyond,
}

fn requested_range(head: &RequestHead, response: &Headers, length: u64) -> RequestedRange {
    let range = head
        .headers
        .get(RANGE)
        .and_then(|value| value.to_str().ok());
    match range {
        Some(range) if head.method == Method::GET && allows_part(&head.headers, response) => {
            parse(range, length)
        }
        _ => RequestedRange::All,
    }
}

/// Returns whether `if-range` allows a partial response: the client's remaining bytes are of the
/// same version.
fn allows_part(request: &HeaderMap, response: &Headers) -> bool {
    let Some(condition) = request.get(IF_RANGE) else {
        return true;
    };
    // A weak tag does not guarantee the same bytes (RFC 9110, section 13.1.5).
    let is_weak = condition.as_bytes().starts_with(b"W/");
    let same = |name| response.get(name) == Some(condition);
    !is_weak && (same(&ETAG) || same(&LAST_MODIFIED))
}

/// Parses `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT`; any other value is ignored.
fn parse(range: &str, length: u64) -> RequestedRange {
    let Some((first, last)) = range
        .strip_prefix("bytes=")
        .and_then(|range| range.trim().split_once('-'))
    else {
        return RequestedRange::All;
    };
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(count)) if first.is_empty() => length.saturating_sub(count)..length,
        _ => return RequestedRange::All,
    };
    if part.is_empty() {
        RequestedRange::Beyond
    } else {
        RequestedRange::Part(part)
    }
}

fn number(digits: &str) -> Option<u64> {
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{RequestedRange, parse};

    #[test]
    fn range_is_limited_to_the_file() {
        assert_eq!(parse("bytes=0-0", 10), RequestedRange::Part(0..1));
        assert_eq!(parse("bytes=3-5", 10), RequestedRange::Part(3..6));
        assert_eq!(parse("bytes=3-500", 10), RequestedRange::Part(3..10));
        assert_eq!(
            parse("bytes=0-18446744073709551615", 10),
            RequestedRange::Part(0..10)
        );
        assert_eq!(parse("bytes=9-", 10), RequestedRange::Part(9..10));
        assert_eq!(parse("bytes=-4", 10), RequestedRange::Part(6..10));
        assert_eq!(parse("bytes=-400", 10), RequestedRange::Part(0..10));
    }

    #[test]
    fn range_outside_the_file_is_not_satisfiable() {
        for range in ["bytes=10-", "bytes=10-11", "bytes=-0"] {
            assert_eq!(parse(range, 10), RequestedRange::Beyond, "{range}");
        }
        assert_eq!(parse("bytes=0-", 0), RequestedRange::Beyond);
    }

    #[test]
    fn values_other_than_a_single_range_are_ignored() {
        for range in [
            "bytes=",
            "bytes=-",
            "bytes=5",
            "bytes=5-3",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=1-2,4-5",
            "bytes=1--2",
            "bytes=99999999999999999999-",
            "lines=1-2",
            "",
            "-",
        ] {
            assert_eq!(parse(range, 10), RequestedRange::All, "{range}");
        }
    }
}
