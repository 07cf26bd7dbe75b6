//! Decodes JSON bodies of requests, which may be compressed (RFC 9110, section 8.4; Ghost 6.65,
//! observed).
//!
//! The same length limit applies to decompressed and uncompressed bodies: decompression stops as soon as
//! the limit is exceeded.

use std::{cell::Cell, io::Read};

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use http::header;
use serde_json::Value;

use super::request::{RequestHead, RequestRefusal};
use crate::{
    body_memory::HeldMemory,
    error::{Error, Kind, Result},
    render::limits::{Budget, JsonCost},
};

/// Length of the chunks that are decompressed, in bytes.
const CHUNK_BYTES: u64 = 64 << 10;

/// The JSON of a body. It is parsed only once: before the endpoint is called, or when the endpoint takes
/// it.
#[derive(Default)]
pub struct JsonOnce(Cell<JsonState>);

#[derive(Default)]
enum JsonState {
    #[default]
    Unread,
    Parsed(Option<Value>),
    Taken,
}

impl JsonOnce {
    /// Parses the JSON of a body immediately.
    ///
    /// # Errors
    ///
    /// The errors of [`json`].
    pub fn parse(head: &RequestHead, body: &Bytes) -> Result<Self> {
        let value = json(head, body)?;
        Ok(Self(Cell::new(JsonState::Parsed(value))))
    }

    /// Calls `read` with the JSON of the body, without taking it. `read` gets `None` if the body has no
    /// JSON, or if the JSON is not parsed yet.
    pub fn peek<T>(&self, read: impl FnOnce(Option<&Value>) -> T) -> T {
        // A `Cell` cannot lend a reference, so the value is moved out and back in.
        let state = self.0.replace(JsonState::Taken);
        let result = match &state {
            JsonState::Parsed(value) => read(value.as_ref()),
            JsonState::Unread | JsonState::Taken => read(None),
        };
        self.0.set(state);
        result
    }

    /// Takes the JSON of the body. `head` and `body` must belong to the same request.
    ///
    /// # Errors
    ///
    /// The errors of [`json`]. `Internal` if the JSON was already taken.
    pub fn take(&self, head: &RequestHead, body: &Bytes) -> Result<Option<Value>> {
        match self.0.replace(JsonState::Taken) {
            JsonState::Unread => json(head, body),
            JsonState::Parsed(value) => Ok(value),
            JsonState::Taken => Err(Error::internal("the JSON of a body was taken twice")),
        }
    }
}

/// Returns a JSON body decompressed, and any other body unchanged. `bytes_max` returns the limit for the
/// decompressed body, whose memory is reserved from `held`.
///
/// # Errors
///
/// `UnsupportedMediaType` for an unknown content encoding, `RequestEntityTooLarge` if the
/// decompressed body is too long, `UnreadableBody` if it cannot be decompressed, `Maintenance` if
/// there is too little memory.
pub fn decoded(
    head: &RequestHead,
    body: &Bytes,
    bytes_max: impl FnOnce() -> u64,
    held: Option<&mut HeldMemory>,
) -> Result<Bytes> {
    let Some(encoding) = head.headers.get(header::CONTENT_ENCODING) else {
        return Ok(body.clone());
    };
    if body.is_empty() || !is_json(head) {
        return Ok(body.clone());
    }
    let encoding = encoding.to_str().unwrap_or_default().trim();
    let compressed: &[u8] = body;
    match encoding.to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(body.clone()),
        // `GzDecoder` would stop after the first member of several.
        "gzip" => read(MultiGzDecoder::new(compressed), bytes_max(), held),
        "deflate" => read(ZlibDecoder::new(compressed), bytes_max(), held),
        _ => Err(Error::new(
            Kind::UnsupportedMediaType,
            "The content encoding is not supported; use gzip or deflate.",
        )
        .context(format!("The body is sent with the encoding {encoding}."))),
    }
}

fn read(
    mut compressed: impl Read,
    bytes_max: u64,
    mut held: Option<&mut HeldMemory>,
) -> Result<Bytes> {
    let mut decoded = Vec::new();
    loop {
        let before = decoded.len();
        let chunk = compressed
            .by_ref()
            .take(CHUNK_BYTES)
            .read_to_end(&mut decoded);
        let chunk = chunk.map_err(|error| {
            Error::new(Kind::UnreadableBody, "The body cannot be decompressed.")
                .context(format!("{error}."))
        })?;
        // Checked after each chunk, so that a decompression bomb is never fully expanded.
        if decoded.len() as u64 > bytes_max {
            return Err(Error::new(
                Kind::RequestEntityTooLarge,
                format!("The body is larger than {bytes_max} bytes."),
            ));
        }
        // No further bytes: the stream has ended.
        if decoded.len() == before {
            return Ok(Bytes::from(decoded));
        }
        if let Some(held) = &mut held {
            held.take(chunk).map_err(RequestRefusal::from)?;
        }
    }
}

/// Returns the declared media type of a body, followed by its parameters.
fn declared_kind(head: &RequestHead) -> impl Iterator<Item = &str> {
    let declared = head.headers.get(header::CONTENT_TYPE);
    let declared = declared.and_then(|kind| kind.to_str().ok());
    declared.unwrap_or_default().split(';').map(str::trim)
}

/// Returns whether a request declares a JSON body.
pub fn is_json(head: &RequestHead) -> bool {
    let mut parts = declared_kind(head);
    parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
}

/// Strips a leading UTF-8 byte order mark, which is ignored (Ghost 6.65, observed).
pub fn unmarked(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Returns the JSON of a body; `None` if the body is empty or not declared as JSON.
///
/// # Errors
///
/// `UnreadableBody` if the body is not a JSON object or list, `UnsupportedMediaType` if its declared
/// charset is not UTF-8, `RequestEntityTooLarge` if it has too many values.
fn json(head: &RequestHead, body: &Bytes) -> Result<Option<Value>> {
    if !is_json(head) || body.is_empty() {
        return Ok(None);
    }
    let charset = declared_kind(head).skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.eq_ignore_ascii_case("charset")
            .then(|| value.trim_matches('"').to_lowercase())
    });
    if let Some(charset) = charset.filter(|charset| !matches!(charset.as_str(), "utf-8" | "utf8")) {
        return Err(
            Error::new(Kind::UnsupportedMediaType, "JSON must be UTF-8.")
                .context(format!("The declared charset is {charset}.")),
        );
    }
    // Stripped because the parser rejects a byte order mark.
    let text = unmarked(body);
    // Counted before parsing, because values take many times the memory of their text.
    Budget::of(text.len())
        .take_json(text, JsonCost::OF_VALUES)
        .map_err(|excess| {
            Error::new(
                Kind::RequestEntityTooLarge,
                "The body is larger than this server accepts.",
            )
            .context(format!("Its JSON is too complex: {excess}."))
        })?;
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        Error::new(Kind::UnreadableBody, "The body is not valid JSON.").context(format!("{error}."))
    })?;
    match value {
        Value::Object(_) | Value::Array(_) => Ok(Some(value)),
        _ => Err(Error::new(
            Kind::UnreadableBody,
            "The body is neither an object nor a list.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write, net::Ipv4Addr};

    use flate2::{
        Compression,
        write::{GzEncoder, ZlibEncoder},
    };
    use http::{HeaderMap, Method, uri::PathAndQuery};

    use super::*;

    fn head(kind: &'static str, encoding: &'static str) -> RequestHead {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        headers.insert(header::CONTENT_ENCODING, encoding.parse().unwrap());
        RequestHead {
            method: Method::POST,
            target: PathAndQuery::from_static("/"),
            headers,
            peer: Ipv4Addr::LOCALHOST.into(),
        }
    }

    fn gzip(text: &[u8]) -> Bytes {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap().into()
    }

    fn of_json(encoding: &'static str, body: &Bytes) -> Result<Bytes> {
        decoded(&head("application/json", encoding), body, || 1000, None)
    }

    #[test]
    fn json_of_a_body_is_parsed_and_taken_once() {
        let head = head("application/json", "identity");
        let parsed = JsonOnce::parse(&head, &"{}".into()).unwrap();
        // Not these bytes: they were parsed before.
        let taken = parsed.take(&head, &"[]".into()).unwrap();
        assert_eq!(taken, Some(Value::Object(Default::default())));
        assert!(parsed.take(&head, &"{}".into()).is_err());
    }

    #[test]
    fn compressed_json_is_decoded() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"{}").unwrap();
        let deflated = encoder.finish().unwrap().into();
        assert_eq!(of_json("gzip", &gzip(b"{}")).unwrap(), "{}");
        assert_eq!(of_json("GZIP", &gzip(b"{}")).unwrap(), "{}");
        assert_eq!(of_json("deflate", &deflated).unwrap(), "{}");
        assert_eq!(of_json("identity", &"{}".into()).unwrap(), "{}");
    }

    #[test]
    fn other_bodies_stay_compressed() {
        let compressed = gzip(b"x");
        let form = head("multipart/form-data; boundary=x", "gzip");
        assert_eq!(decoded(&form, &compressed, || 0, None).unwrap(), compressed);
        assert_eq!(of_json("gzip", &Bytes::new()).unwrap(), "");
    }

    #[test]
    fn decompression_stops_at_the_limit() {
        assert!(of_json("gzip", &gzip(&[b' '; 1000])).is_ok());
        let bomb = gzip(&vec![b' '; 10 << 20]);
        let refused = of_json("gzip", &bomb).unwrap_err();
        assert_eq!(refused.kind(), Kind::RequestEntityTooLarge);
    }

    #[test]
    fn unknown_encodings_and_corrupt_bodies_are_refused() {
        let whole = gzip(b"{}");
        let broken = whole.slice(..whole.len() - 4);
        for (encoding, body, kind) in [
            ("gzip", &broken, Kind::UnreadableBody),
            ("gzip", &"{}".into(), Kind::UnreadableBody),
            ("deflate", &whole, Kind::UnreadableBody),
            ("br", &whole, Kind::UnsupportedMediaType),
            ("gzip, gzip", &whole, Kind::UnsupportedMediaType),
        ] {
            assert_eq!(
                of_json(encoding, body).unwrap_err().kind(),
                kind,
                "{encoding}"
            );
        }
    }
}
