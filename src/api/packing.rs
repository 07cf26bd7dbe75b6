//! Conditional requests and content encodings (RFC 9110, sections 12.5.3 and 13.1.2).

use std::{io::Write, sync::Arc};

use bytes::Bytes;
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use http::{HeaderValue, StatusCode, header};

use super::{
    answers::{Answer, Form},
    headers,
    kernel_copy::KernelCopy,
    packers::PACKERS,
    request::Fields,
    response::{Body, Response},
};

/// Bodies up to this size are sent uncompressed, in bytes (Ghost 6.65, recorded).
const UNCOMPRESSED_BYTES_MAX: usize = 1024;

/// Compression levels: above them, JSON gains too little for the time.
const DEFLATE_LEVEL: u32 = 6;
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW_BITS: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 16 * 1024;

/// The content encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Packing {
    /// No encoding.
    None,
    /// With deflate, which is zlib's format (RFC 9110, section 8.4.1.2).
    Deflate,
    /// With gzip.
    Gzip,
    /// With Brotli.
    Brotli,
}

impl Packing {
    /// Returns the encoding that `request` prefers; of several, Brotli before gzip before deflate
    /// (Ghost 6.65, recorded).
    pub fn wanted(request: Fields) -> Self {
        let mut best = (Self::None, 0.0);
        for value in request.values(&header::ACCEPT_ENCODING) {
            for item in value.split(',') {
                let (name, quality) = parse_item(item);
                let encoding = match name {
                    name if name.eq_ignore_ascii_case("br") => Self::Brotli,
                    name if name.eq_ignore_ascii_case("gzip")
                        || name.eq_ignore_ascii_case("x-gzip") =>
                    {
                        Self::Gzip
                    }
                    name if name.eq_ignore_ascii_case("deflate") => Self::Deflate,
                    _ => continue,
                };
                let better =
                    quality > best.1 || (quality == best.1 && quality > 0.0 && encoding > best.0);
                if better {
                    best = (encoding, quality);
                }
            }
        }
        best.0
    }
}

/// Splits an item of `Accept-Encoding` into its name and its `q`, by default 1.
fn parse_item(item: &str) -> (&str, f32) {
    let mut parts = item.split(';');
    let name = parts.next().unwrap_or_default().trim();
    let quality = parts
        .filter_map(|parameter| parameter.trim().strip_prefix("q=")?.trim().parse().ok())
        .next()
        .unwrap_or(1.0);
    (name, quality)
}

/// Returns the response with `cached` to `request`; `None` if it would have to be compressed first.
pub fn ready_response(cached: &Answer, request: Fields) -> Option<Response> {
    if is_known(cached, request) {
        return Some(not_modified(cached));
    }
    ready_form(cached, request).map(ok)
}

/// Returns the same for a cached response, which may be requested often: long bodies are sent from
/// their kernel-side copy.
pub fn kept_response(cached: &Answer, request: Fields) -> Option<Response> {
    if is_known(cached, request) {
        return Some(not_modified(cached));
    }
    let form = ready_form(cached, request)?;
    let mut response = ok(form);
    if let Some(copy) = copy_of(form) {
        response.body = Body::Copied {
            bytes: form.body.clone(),
            copy: Arc::clone(copy),
        };
    }
    Some(response)
}

/// Returns the response with `cached` to `request`, compressed now if necessary.
pub fn response(cached: &Answer, request: Fields) -> Response {
    if is_known(cached, request) {
        return not_modified(cached);
    }
    let plain = &cached.plain;
    ok(match encoding_for(cached, request) {
        Packing::None => plain,
        Packing::Deflate => cached
            .deflate
            .get_or_init(|| compressed(plain, "deflate", deflate)),
        Packing::Gzip => cached.gzip.get_or_init(|| compressed(plain, "gzip", gzip)),
        Packing::Brotli => cached
            .brotli
            .get_or_init(|| compressed(plain, "br", brotli)),
    })
}

/// Returns the form of `cached` that `request` prefers, if it has been made.
fn ready_form<'a>(cached: &'a Answer, request: Fields) -> Option<&'a Form> {
    match encoding_for(cached, request) {
        Packing::None => Some(&cached.plain),
        Packing::Deflate => cached.deflate.get(),
        Packing::Gzip => cached.gzip.get(),
        Packing::Brotli => cached.brotli.get(),
    }
}

fn encoding_for(cached: &Answer, request: Fields) -> Packing {
    if cached.plain.body.len() > UNCOMPRESSED_BYTES_MAX {
        Packing::wanted(request)
    } else {
        Packing::None
    }
}

/// Returns the kernel-side copy of the body. If none can be made now, the next request tries again.
fn copy_of(form: &Form) -> Option<&Arc<KernelCopy>> {
    if let Some(copy) = form.copy.get() {
        return Some(copy);
    }
    let copy = Arc::new(KernelCopy::of(&form.body)?);
    Some(form.copy.get_or_init(|| copy))
}

fn ok(form: &Form) -> Response {
    Response {
        status: StatusCode::OK,
        headers: form.headers.clone(),
        body: Body::Bytes(form.body.clone()),
    }
}

fn compressed(plain: &Form, encoding: &'static str, compress: fn(&[u8]) -> Vec<u8>) -> Form {
    let permit = PACKERS.take();
    let body = compress(&plain.body);
    drop(permit);
    let mut headers = plain.headers.clone();
    headers.set(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    // Drops the spare capacity, which the cache does not count.
    Form::new(headers, Bytes::from(body.into_boxed_slice()))
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(DEFLATE_LEVEL));
    encoder
        .write_all(body)
        .and_then(|()| encoder.finish())
        .expect("invariant: writing to memory does not fail")
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(DEFLATE_LEVEL));
    encoder
        .write_all(body)
        .and_then(|()| encoder.finish())
        .expect("invariant: writing to memory does not fail")
}

fn brotli(body: &[u8]) -> Vec<u8> {
    let mut compressed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: body.len(),
        ..Default::default()
    };
    let mut encoder =
        brotli::CompressorWriter::with_params(&mut compressed, BROTLI_BUFFER_BYTES, &parameters);
    encoder
        .write_all(body)
        .expect("invariant: writing to memory does not fail");
    drop(encoder);
    compressed
}

/// Returns whether the client has this response already. A client that also sends `no-cache` gets
/// it anyway (Ghost 6.65, recorded).
fn is_known(cached: &Answer, request: Fields) -> bool {
    let Some(own) = cached
        .plain
        .headers
        .get(&header::ETAG)
        .and_then(|tag| tag.to_str().ok())
    else {
        return false;
    };
    let known = request
        .values(&header::IF_NONE_MATCH)
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || strong(tag) == strong(own));
    known && !wants_fresh(request)
}

fn strong(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn wants_fresh(request: Fields) -> bool {
    request
        .values(&header::CACHE_CONTROL)
        .flat_map(|value| value.split(','))
        .any(|word| word.trim().eq_ignore_ascii_case("no-cache"))
}

fn not_modified(cached: &Answer) -> Response {
    let headers = cached.headers_when_known.get_or_init(|| {
        let mut headers = cached.plain.headers.clone();
        headers.remove(&header::CONTENT_TYPE);
        headers.set(header::VARY, headers::VARY_WITHOUT_BODY.clone());
        headers
    });
    Response {
        status: StatusCode::NOT_MODIFIED,
        headers: headers.clone(),
        body: Body::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(accept_encoding: &str) -> Packing {
        let line = httparse::Header {
            name: "Accept-Encoding",
            value: accept_encoding.as_bytes(),
        };
        Packing::wanted(Fields::Lines(&[line]))
    }

    #[test]
    fn preferred_encoding_wins_and_brotli_breaks_ties() {
        for (accepted, expected) in [
            ("gzip, deflate, br", Packing::Brotli),
            ("br;q=0.5, gzip;q=0.9", Packing::Gzip),
            ("gzip;q=0, br;q=0", Packing::None),
            ("GZIP", Packing::Gzip),
            ("identity", Packing::None),
            ("deflate", Packing::Deflate),
            ("deflate, gzip", Packing::Gzip),
            ("deflate;q=1, gzip;q=0.2", Packing::Deflate),
            ("compress", Packing::None),
            ("", Packing::None),
            ("gzip;q=nonsense", Packing::Gzip),
        ] {
            assert_eq!(wanted(accepted), expected, "{accepted}");
        }
    }
}
