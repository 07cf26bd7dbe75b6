//! What a client already has or can unpack: conditional requests and packed bodies (RFC 9110, sections 12.5.3 and 13.1.2).

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

/// Bodies up to this size go out as they are, in bytes (Ghost 6.65, recorded).
const UNPACKED_BYTES_MAX: usize = 1024;

/// How hard gzip, deflate and Brotli try: where more time stops paying for JSON.
const DEFLATE_LEVEL: u32 = 6;
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW_BITS: i32 = 22;
const BROTLI_BUFFER_BYTES: usize = 16 * 1024;

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Packing {
    /// Not at all.
    None,
    /// With deflate, which is zlib's format (RFC 9110, section 8.4.1.2).
    Deflate,
    /// With gzip.
    Gzip,
    /// With Brotli.
    Brotli,
}

impl Packing {
    /// The packing that `request` likes best; of several, Brotli before gzip before deflate (Ghost 6.65, recorded).
    pub fn wanted(request: Fields) -> Self {
        let mut best = (Self::None, 0.0);
        for value in request.values(&header::ACCEPT_ENCODING) {
            for item in value.split(',') {
                let (name, quality) = weighed(item);
                let packing = match name {
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
                    quality > best.1 || (quality == best.1 && quality > 0.0 && packing > best.0);
                if better {
                    best = (packing, quality);
                }
            }
        }
        best.0
    }
}

/// A name and its `q`, which is 1 when nothing is said.
fn weighed(item: &str) -> (&str, f32) {
    let mut parts = item.split(';');
    let name = parts.next().unwrap_or_default().trim();
    let quality = parts
        .filter_map(|parameter| parameter.trim().strip_prefix("q=")?.trim().parse().ok())
        .next()
        .unwrap_or(1.0);
    (name, quality)
}

/// The response that brings `answer` to whoever sent `request`; `None` when it would have to be packed first.
pub fn ready_response(answer: &Answer, request: Fields) -> Option<Response> {
    if is_known(answer, request) {
        return Some(not_modified(answer));
    }
    ready_form(answer, request).map(ok)
}

/// The same of an answer that was made for an earlier request, and so may be asked for often: what is long is sent as the
/// kernel has it.
pub fn kept_response(answer: &Answer, request: Fields) -> Option<Response> {
    if is_known(answer, request) {
        return Some(not_modified(answer));
    }
    let form = ready_form(answer, request)?;
    let mut response = ok(form);
    if let Some(copy) = copy_of(form) {
        response.body = Body::Copied {
            bytes: form.body.clone(),
            copy: Arc::clone(copy),
        };
    }
    Some(response)
}

/// The response that brings `answer` to whoever sent `request`, packed now if need be.
pub fn response(answer: &Answer, request: Fields) -> Response {
    if is_known(answer, request) {
        return not_modified(answer);
    }
    let plain = &answer.plain;
    ok(match packing_for(answer, request) {
        Packing::None => plain,
        Packing::Deflate => answer
            .deflate
            .get_or_init(|| packed(plain, "deflate", deflate)),
        Packing::Gzip => answer.gzip.get_or_init(|| packed(plain, "gzip", gzip)),
        Packing::Brotli => answer.brotli.get_or_init(|| packed(plain, "br", brotli)),
    })
}

/// The form of `answer` for whoever sent `request`, if it has been made.
fn ready_form<'a>(answer: &'a Answer, request: Fields) -> Option<&'a Form> {
    match packing_for(answer, request) {
        Packing::None => Some(&answer.plain),
        Packing::Deflate => answer.deflate.get(),
        Packing::Gzip => answer.gzip.get(),
        Packing::Brotli => answer.brotli.get(),
    }
}

fn packing_for(answer: &Answer, request: Fields) -> Packing {
    match answer.plain.body.len() > UNPACKED_BYTES_MAX {
        true => Packing::wanted(request),
        false => Packing::None,
    }
}

/// The body as the kernel has it. Where none can be had now, the next request tries again.
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

fn packed(plain: &Form, encoding: &'static str, pack: fn(&[u8]) -> Vec<u8>) -> Form {
    let packer = PACKERS.take();
    let body = pack(&plain.body);
    drop(packer);
    let mut headers = plain.headers.clone();
    headers.set(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    // Without the room to grow that it has, which the cache does not count.
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
    let mut packed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: body.len(),
        ..Default::default()
    };
    let mut encoder =
        brotli::CompressorWriter::with_params(&mut packed, BROTLI_BUFFER_BYTES, &parameters);
    encoder
        .write_all(body)
        .expect("invariant: writing to memory does not fail");
    drop(encoder);
    packed
}

/// Whether the client says that it has this very answer. A client that also says `no-cache` wants it anyway (Ghost 6.65,
/// recorded).
fn is_known(answer: &Answer, request: Fields) -> bool {
    let Some(own) = answer
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
    known && !insists(request)
}

fn strong(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn insists(request: Fields) -> bool {
    request
        .values(&header::CACHE_CONTROL)
        .flat_map(|value| value.split(','))
        .any(|word| word.trim().eq_ignore_ascii_case("no-cache"))
}

fn not_modified(answer: &Answer) -> Response {
    let headers = answer.headers_when_known.get_or_init(|| {
        let mut headers = answer.plain.headers.clone();
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
    fn the_best_liked_packing_wins_and_brotli_breaks_ties() {
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
