//! Writes the header section of an HTTP/1.1 response as bytes (RFC 9112, section 4).

use std::cell::RefCell;
use std::time::{Duration, UNIX_EPOCH};

use http::StatusCode;
use http::header::{CONTENT_LENGTH, DATE, SERVER};

use crate::api::response::Response;
use crate::clock::{Clock, SystemClock};

use super::outgoing::{PROGRAM, is_without_content};

/// Writes the status line and the header fields of `response`, with the fields that the server
/// adds.
pub(super) fn write(response: &Response, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(b"HTTP/1.1 ");
    bytes.extend_from_slice(response.status.as_str().as_bytes());
    bytes.push(b' ');
    bytes.extend_from_slice(reason(response.status).as_bytes());
    bytes.extend_from_slice(b"\r\n");
    for (name, value) in response.headers.iter() {
        field(bytes, name.as_str(), value.as_bytes());
    }
    field(bytes, SERVER.as_str(), PROGRAM.as_bytes());
    // A length is not allowed with 204 (RFC 9110, section 8.6).
    if !is_without_content(response.status) {
        let length = response.body.length().to_string();
        field(bytes, CONTENT_LENGTH.as_str(), length.as_bytes());
    }
    with_date(|date| field(bytes, DATE.as_str(), date.as_bytes()));
    bytes.extend_from_slice(b"\r\n");
}

fn reason(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or_default()
}

fn field(bytes: &mut Vec<u8>, name: &str, value: &[u8]) {
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(b": ");
    bytes.extend_from_slice(value);
    bytes.extend_from_slice(b"\r\n");
}

/// Calls `write` with the current time in the format of a header field. The text is formatted once
/// a second.
fn with_date(write: impl FnOnce(&str)) {
    thread_local! {
        static FORMATTED: RefCell<(u64, String)> = const { RefCell::new((0, String::new())) };
    }
    let second = u64::try_from(SystemClock.now().as_second()).unwrap_or_default();
    FORMATTED.with_borrow_mut(|(formatted_second, date)| {
        if *formatted_second != second || date.is_empty() {
            let time = UNIX_EPOCH + Duration::from_secs(second);
            *date = httpdate::fmt_http_date(time);
            *formatted_second = second;
        }
        write(date);
    });
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::HeaderValue;
    use http::header::ETAG;

    use crate::api::response::Body;

    use super::*;

    fn written(response: &Response) -> String {
        let mut bytes = Vec::new();
        write(response, &mut bytes);
        String::from_utf8(bytes).expect("a head is text")
    }

    #[test]
    fn response_header_has_status_fields_length_and_date() {
        let mut response = Response::new(StatusCode::OK);
        response
            .headers
            .set(ETAG, HeaderValue::from_static("\"1\""));
        response.body = Body::Bytes(Bytes::from_static(b"four"));
        let head = written(&response);
        assert!(
            head.starts_with("HTTP/1.1 200 OK\r\netag: \"1\"\r\n"),
            "{head}"
        );
        assert!(head.contains("\r\ncontent-length: 4\r\n"), "{head}");
        let date = head.split("date: ").nth(1).expect("it has a date");
        assert!(date.ends_with(" GMT\r\n\r\n"), "{head}");
        assert!(httpdate::parse_http_date(date.trim()).is_ok(), "{head}");
    }

    #[test]
    fn response_without_content_has_no_content_length() {
        for status in [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED] {
            let head = written(&Response::new(status));
            assert!(!head.contains("content-length"), "{head}");
        }
    }
}
