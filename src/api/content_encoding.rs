//! Conditional requests and content encodings (RFC 9110, sections 12.5.3 and 13.1.2).

use std::{io::Write, sync::Arc};

use bytes::Bytes;
use flate2::{
    Compression,
    write::{GzEncoder, ZlibEncoder},
};
use http::{HeaderValue, StatusCode, header};

use super::{
    compression_permits::COMPRESSION_PERMITS,
    request::Fields,
    response::{Body, Headers, Response},
    response_cache::{CachedResponse, EncodedForm},
    sendfile_copy::SendfileCopy,
};

/// Bodies up to this size are sent uncompressed, in bytes (Ghost 6.65, recorded).
const UNCOMPRESSED_BYTES_MAX: usize = 1024;

// Higher compression levels take too much time for the small gain on JSON.
const DEFLATE_LEVEL: u32 = 6;
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW_BITS: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 16 * 1024;

/// The content encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContentEncoding {
    /// No encoding.
    None,
    /// `deflate`, which is zlib's format (RFC 9110, section 8.4.1.2).
    Deflate,
    /// `gzip`.
    Gzip,
    /// `br`, which is Brotli.
    Brotli,
}

impl ContentEncoding {
    /// Returns the encoding that `request` prefers. Equal preferences are resolved in the order Brotli,
    /// gzip, deflate (Ghost 6.65, recorded).
    pub fn preferred(request: Fields) -> Self {
        // An encoding with `q=0` is excluded (RFC 9110, section 12.4.2): it never exceeds this
        // quality.
        let mut best = (Self::None, 0.0);
        for value in request.values(&header::ACCEPT_ENCODING) {
            for item in value.split(',') {
                let (name, quality) = parse_item(item);
                // `x-gzip` is an older name of gzip (RFC 9110, section 8.4.1.3).
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
                // The order of the variants decides between equal qualities.
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

/// Splits an item of `Accept-Encoding` into its name and its `q`, which is 1 by default.
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
pub fn ready_response(cached: &CachedResponse, request: Fields) -> Option<Response> {
    // Checked first, because a 304 needs no compressed form.
    if is_known(cached, request) {
        return Some(not_modified(cached, request));
    }
    ready_form(cached, request).map(ok)
}

/// Returns the same as [`ready_response`], but sends long bodies from a kernel-side copy. It is for
/// responses in a cache, which may be requested often.
pub fn cached_response(cached: &CachedResponse, request: Fields) -> Option<Response> {
    if is_known(cached, request) {
        return Some(not_modified(cached, request));
    }
    let form = ready_form(cached, request)?;
    let mut response = ok(form);
    if let Some(copy) = copy_of(form) {
        response.body = Body::Sendfile {
            bytes: form.body.clone(),
            copy: Arc::clone(copy),
        };
    }
    Some(response)
}

/// Returns the response with `cached` to `request`, compressed now if necessary.
pub fn response(cached: &CachedResponse, request: Fields) -> Response {
    if is_known(cached, request) {
        return not_modified(cached, request);
    }
    let plain = &cached.plain;
    // Concurrent requests for the same form wait in `get_or_init`, so it is compressed only once.
    ok(match encoding_for(cached, request) {
        ContentEncoding::None => plain,
        ContentEncoding::Deflate => cached
            .deflate
            .get_or_init(|| compressed(plain, "deflate", deflate)),
        ContentEncoding::Gzip => cached.gzip.get_or_init(|| compressed(plain, "gzip", gzip)),
        ContentEncoding::Brotli => cached
            .brotli
            .get_or_init(|| compressed(plain, "br", brotli)),
    })
}

/// Returns the form of `cached` that `request` prefers, if it is already compressed.
fn ready_form<'a>(cached: &'a CachedResponse, request: Fields) -> Option<&'a EncodedForm> {
    match encoding_for(cached, request) {
        ContentEncoding::None => Some(&cached.plain),
        ContentEncoding::Deflate => cached.deflate.get(),
        ContentEncoding::Gzip => cached.gzip.get(),
        ContentEncoding::Brotli => cached.brotli.get(),
    }
}

fn encoding_for(cached: &CachedResponse, request: Fields) -> ContentEncoding {
    if cached.plain.body.len() > UNCOMPRESSED_BYTES_MAX {
        ContentEncoding::preferred(request)
    } else {
        ContentEncoding::None
    }
}

/// Returns the kernel-side copy of the body. If no copy can be created, the next request tries again.
fn copy_of(form: &EncodedForm) -> Option<&Arc<SendfileCopy>> {
    if let Some(copy) = form.copy.get() {
        return Some(copy);
    }
    // Created outside of `get_or_init`, whose closure cannot fail. If two threads create a copy,
    // one copy is dropped.
    let copy = Arc::new(SendfileCopy::of(&form.body)?);
    Some(form.copy.get_or_init(|| copy))
}

fn ok(form: &EncodedForm) -> Response {
    Response {
        status: StatusCode::OK,
        headers: form.headers.clone(),
        body: Body::Bytes(form.body.clone()),
    }
}

fn compressed(
    plain: &EncodedForm,
    encoding: &'static str,
    compress: fn(&[u8]) -> Vec<u8>,
) -> EncodedForm {
    // More concurrent compressions than processors would only slow each of them down.
    let permit = COMPRESSION_PERMITS.take();
    let body = compress(&plain.body);
    drop(permit);
    let mut headers = plain.headers.clone();
    headers.set(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    if let Some(tag) = tag_with(&headers, encoding) {
        headers.set(header::ETAG, tag);
    }
    // Drops the spare capacity, which the cache does not count.
    EncodedForm::new(headers, Bytes::from(body.into_boxed_slice()))
}

/// Returns the entity tag of the form with this encoding. `None` for a weak tag, which is the same for all forms (RFC 9110,
/// section 8.8.1).
fn tag_with(plain: &Headers, encoding: &str) -> Option<HeaderValue> {
    let tag = plain.get(&header::ETAG)?.to_str().ok()?;
    let content = tag.strip_prefix('"')?.strip_suffix('"')?;
    HeaderValue::from_str(&format!("\"{content}-{encoding}\"")).ok()
}

/// Returns the strong entity tag of the uncompressed form, without its closing quote, from the tag of a compressed form.
fn without_encoding(tag: &str) -> Option<&str> {
    let content = tag.strip_suffix('"')?;
    let mut encodings = ["br", "gzip", "deflate"].into_iter();
    encodings.find_map(|encoding| content.strip_suffix(encoding)?.strip_suffix('-'))
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
    // Dropping the encoder writes the end of the stream.
    drop(encoder);
    compressed
}

/// Returns whether the client already has this response. A client that also sends `no-cache` gets the
/// full response anyway (Ghost 6.65, recorded).
fn is_known(cached: &CachedResponse, request: Fields) -> bool {
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
        // Weak tags also match: proxies that compress responses make tags weak, but the content is the same.
        .any(|tag| tag == "*" || is_of(tag, own));
    known && !wants_fresh(request)
}

/// Returns whether a tag belongs to any form of the response whose uncompressed form has the tag `own`.
fn is_of(tag: &str, own: &str) -> bool {
    let tag = strong(tag);
    tag == strong(own)
        || without_encoding(tag).is_some_and(|tag| own.strip_suffix('"') == Some(tag))
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

fn not_modified(cached: &CachedResponse, request: Fields) -> Response {
    let headers = cached.headers_not_modified.get_or_init(|| {
        let mut headers = cached.plain.headers.clone();
        // A 304 has no body to describe.
        headers.remove(&header::CONTENT_TYPE);
        headers
    });
    let mut headers = headers.clone();
    // A 304 has the entity tag and the `Vary` that the 200 would have had (RFC 9110, section 15.4.5). Ghost's `Vary` lacks
    // `Accept-Encoding` (recorded in content-cors-caching).
    let encoding = match encoding_for(cached, request) {
        ContentEncoding::None => None,
        ContentEncoding::Deflate => Some("deflate"),
        ContentEncoding::Gzip => Some("gzip"),
        ContentEncoding::Brotli => Some("br"),
    };
    if let Some(tag) = encoding.and_then(|encoding| tag_with(&headers, encoding)) {
        headers.set(header::ETAG, tag);
    }
    Response {
        status: StatusCode::NOT_MODIFIED,
        headers,
        body: Body::Empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(accept_encoding: &str) -> ContentEncoding {
        let line = httparse::Header {
            name: "Accept-Encoding",
            value: accept_encoding.as_bytes(),
        };
        ContentEncoding::preferred(Fields::Lines(&[line]))
    }

    #[test]
    fn preferred_encoding_wins_and_brotli_breaks_ties() {
        for (accepted, expected) in [
            ("gzip, deflate, br", ContentEncoding::Brotli),
            ("br;q=0.5, gzip;q=0.9", ContentEncoding::Gzip),
            ("gzip;q=0, br;q=0", ContentEncoding::None),
            ("GZIP", ContentEncoding::Gzip),
            ("identity", ContentEncoding::None),
            ("deflate", ContentEncoding::Deflate),
            ("deflate, gzip", ContentEncoding::Gzip),
            ("deflate;q=1, gzip;q=0.2", ContentEncoding::Deflate),
            ("compress", ContentEncoding::None),
            ("", ContentEncoding::None),
            ("gzip;q=nonsense", ContentEncoding::Gzip),
        ] {
            assert_eq!(preferred(accepted), expected, "{accepted}");
        }
    }
}
