//! Finds the beginning and end of an HTTP/1.1 request in the client's bytes (RFC 9112, sections 6
//! and 9).
//!
//! Uses the same parser as hyper, so that both find the same end. Requests that are not plain are
//! left to hyper.

use std::mem::MaybeUninit;

use http::Method;

use super::limits::HEADERS_MAX;
use super::request_smuggling::is_host;

/// The message at the start of the bytes.
pub(super) enum Message<'a, 'b> {
    /// An incomplete header section.
    Partial,
    /// A request with a known end.
    Complete(FramedRequest<'a, 'b>),
    /// Anything else: HTTP/2, a chunked body, bytes that are not a request.
    Other,
}

/// A request with a complete header section.
pub(super) struct FramedRequest<'a, 'b> {
    /// Length of the header section, in bytes.
    pub(super) head_bytes: usize,
    /// Length of the body, in bytes.
    pub(super) body_bytes: u64,
    /// Path and query, if the request is a GET without a body that keeps the connection open.
    pub(super) plain_get: Option<&'a str>,
    /// The header fields.
    pub(super) fields: &'b [httparse::Header<'a>],
}

/// Memory for the header fields of a request.
pub(super) type FieldSpace<'a> = [MaybeUninit<httparse::Header<'a>>; HEADERS_MAX];

/// Returns uninitialised memory for header fields, at no cost.
pub(super) fn field_space<'a>() -> FieldSpace<'a> {
    [const { MaybeUninit::uninit() }; HEADERS_MAX]
}

/// Parses the message at the start of `bytes`.
pub(super) fn parse<'a, 'b>(bytes: &'a [u8], space: &'b mut FieldSpace<'a>) -> Message<'a, 'b> {
    let mut request = httparse::Request::new(&mut []);
    let head_bytes = match request.parse_with_uninit_headers(bytes, space) {
        Ok(httparse::Status::Complete(head_bytes)) => head_bytes,
        Ok(httparse::Status::Partial) => return Message::Partial,
        Err(_) => return Message::Other,
    };
    let (method, target, version) = (request.method, request.path, request.version);
    let fields: &'b [httparse::Header<'a>] = request.headers;
    // 1 is HTTP/1.1: HTTP/1.0 closes the connection after a response unless the client requests
    // otherwise.
    let (Some(method), Some(target), Some(1)) = (method, target, version) else {
        return Message::Other;
    };
    // The bytes after a CONNECT belong to a tunnel.
    if method == Method::CONNECT.as_str() {
        return Message::Other;
    }
    let Some(framing) = RequestFraming::of(fields) else {
        return Message::Other;
    };
    let is_plain_get = framing.stays_open
        && framing.body_bytes == 0
        && method == Method::GET.as_str()
        // The authority of an absolute target takes precedence over `Host`, which hyper's path
        // applies.
        && target.starts_with('/');
    Message::Complete(FramedRequest {
        head_bytes,
        body_bytes: framing.body_bytes,
        plain_get: is_plain_get.then_some(target),
        fields,
    })
}

/// The framing of a request, determined by its header fields.
struct RequestFraming {
    body_bytes: u64,
    stays_open: bool,
}

impl RequestFraming {
    /// Returns `None` if the fields specify anything other than a length, or do not specify exactly
    /// one host.
    fn of(fields: &[httparse::Header]) -> Option<Self> {
        let mut length = None;
        let mut stays_open = true;
        let mut hosts = 0;
        for field in fields {
            let is = |name: &str| field.name.eq_ignore_ascii_case(name);
            // Comparing the lengths first avoids comparing most names.
            match field.name.len() {
                10 if is("connection") => {
                    // `close`, `upgrade` and lists are left to hyper.
                    stays_open &= field.value.eq_ignore_ascii_case(b"keep-alive");
                }
                14 if is("content-length") => {
                    // Not `parse`, which would accept a plus sign that other programs refuse.
                    let value = digits(field.value)?;
                    // A second length is left to hyper, which refuses it if it differs.
                    if length.replace(value).is_some() {
                        return None;
                    }
                }
                4 if is("host") => {
                    hosts += 1;
                    if !is_host(field.value) {
                        return None;
                    }
                }
                7 if is("upgrade") => return None,
                17 if is("transfer-encoding") => return None,
                _ => {}
            }
        }
        // Without exactly one host, the requested host is ambiguous.
        (hosts == 1).then_some(Self {
            body_bytes: length.unwrap_or(0),
            stays_open,
        })
    }
}

/// Parses a number that consists only of decimal digits.
fn digits(value: &[u8]) -> Option<u64> {
    let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let text = is_number.then(|| str::from_utf8(value).ok())?;
    text?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lengths of the header section and the body, and the target of a plain GET.
    fn whole(bytes: &str) -> Option<(usize, u64, Option<String>)> {
        match parse(bytes.as_bytes(), &mut field_space()) {
            Message::Complete(whole) => Some((
                whole.head_bytes,
                whole.body_bytes,
                whole.plain_get.map(str::to_owned),
            )),
            Message::Partial | Message::Other => None,
        }
    }

    #[test]
    fn plain_get_ends_with_its_header_section() {
        let request = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n";
        let next = format!("{request}GET /next");
        assert_eq!(
            whole(&next),
            Some((request.len(), 0, Some("/a?b=c".to_owned())))
        );
    }

    #[test]
    fn request_with_a_length_ends_with_its_body() {
        let request = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n";
        assert_eq!(whole(request), Some((request.len(), 12, None)));
    }

    #[test]
    fn closing_or_other_requests_are_not_plain() {
        for request in [
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n",
            "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://other.example/a HTTP/1.1\r\nHost: x\r\n\r\n",
        ] {
            let (_, _, plain_get) = whole(request).expect("a request with an end");
            assert_eq!(plain_get, None, "{request}");
        }
    }

    #[test]
    fn requests_not_framed_by_one_length_are_left_to_hyper() {
        for request in [
            "GET /a HTTP/1.0\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /a HTTP/1.1\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost:\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a@b\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
        ] {
            let mut space = field_space();
            let found = parse(request.as_bytes(), &mut space);
            assert!(matches!(found, Message::Other), "{request}");
        }
    }

    #[test]
    fn incomplete_header_section_is_partial() {
        let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
        for end in 0..request.len() {
            let begun = &request[..end];
            let mut space = field_space();
            let found = parse(begun.as_bytes(), &mut space);
            assert!(matches!(found, Message::Partial), "{begun}");
        }
    }

    #[test]
    fn too_many_fields_are_left_to_hyper() {
        let fields = "A: b\r\n".repeat(HEADERS_MAX + 1);
        let request = format!("GET /a HTTP/1.1\r\n{fields}\r\n");
        assert!(whole(&request).is_none());
    }
}
