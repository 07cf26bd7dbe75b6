//! Properties of multipart bodies: the content of every parsed part is contained in the body, and a form
//! survives a round trip.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use galley::{
    api::{
        multipart::{MultipartForm, read},
        request::RequestHead,
    },
    error::{Kind, Result},
};
use http::{HeaderMap, HeaderValue, Method, header, uri::PathAndQuery};
use memchr::memmem;

/// The name of the part from which a file is taken.
const FIELD: &str = "file";

/// The boundary between the parts of a form that this target writes.
const BOUNDARY: &str = "edge-of-fuzz";

/// Panics unless these properties hold for a body. The first line of the input is the content type.
pub fn check(input: &[u8]) {
    let (kind, body) = split_at_byte(input, b'\n');
    let Ok(kind) = HeaderValue::from_bytes(kind.trim_ascii()) else {
        return;
    };
    check_reading(&kind, body);
    check_round_trip(body);
}

fn check_reading(kind: &HeaderValue, body: &[u8]) {
    let (outcome, content) = form_in(kind, body);
    match outcome {
        Ok(form) => {
            let texts: usize = form.texts().map(|(_, text)| text.len()).sum();
            // Each byte that is not UTF-8 becomes a replacement character of three bytes.
            assert!(texts <= 3 * body.len());
            match form.file {
                Some(file) => assert_eq!(file.bytes, content.len() as u64),
                None => assert!(content.is_empty()),
            }
        }
        Err(error) => assert_eq!(error.kind(), Kind::BadRequest, "{error}"),
    }
    assert!(memmem::find(body, &content).is_some(), "{content:?}");
    assert_eq!(form_in(kind, body).1, content);
}

/// Checks that a form with a text and a file, the two halves of `content`, is read as it was written.
fn check_round_trip(content: &[u8]) {
    if memmem::find(content, BOUNDARY.as_bytes()).is_some() {
        return;
    }
    let (text, file) = content.split_at(content.len() / 2);
    let text = String::from_utf8_lossy(text);
    let mut body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n{text}\r\n\
         --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{FIELD}\"; filename=\"a.bin\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(file);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let (form, read) = form_in(&HeaderValue::from_str(&kind).unwrap(), &body);
    let form = form.unwrap();
    assert_eq!(form.text("text"), Some(&*text));
    assert_eq!(read, file);
    assert_eq!(form.file.unwrap().name, "a.bin");
}

/// Parses a body of this content type. Returns the form, and the content of the file in it.
fn form_in(kind: &HeaderValue, body: &[u8]) -> (Result<MultipartForm>, Vec<u8>) {
    let head = RequestHead {
        method: Method::POST,
        target: PathAndQuery::from_static("/"),
        headers: HeaderMap::from_iter([(header::CONTENT_TYPE, kind.clone())]),
        peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
    };
    let mut content = Vec::new();
    let form = read(&head, &Bytes::copy_from_slice(body), FIELD, &mut content);
    (form, content)
}

/// Splits the input at the first occurrence of this byte.
fn split_at_byte(input: &[u8], byte: u8) -> (&[u8], &[u8]) {
    match memchr::memchr(byte, input) {
        Some(offset) => (&input[..offset], &input[offset + 1..]),
        None => (input, &[]),
    }
}
