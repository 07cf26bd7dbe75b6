//! Assets of the active theme, below `/assets/` (Ghost 6.65, recorded).

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use mime_guess::{Mime, mime};
use twox_hash::XxHash3_128;

use super::{
    compressed_files,
    headers::CacheControl,
    params::decode,
    request::Fields,
    response::{Headers, Response},
};
use crate::themes::{Theme, ThemeFile};

/// Returns the response to a request for `path`, which is relative to `/assets/` and
/// percent-encoded; `None` if there is no such asset.
pub fn respond(theme: &Theme, path: &str, request: &HeaderMap) -> Option<Response> {
    let path = decode(path).ok()?;
    response(theme.asset(&path)?, &path, request)
}

/// Returns the response with a file at the top of the theme, for `path` on the site; `None` if there is no such file.
pub fn respond_at_top(theme: &Theme, path: &str, request: &HeaderMap) -> Option<Response> {
    let path = decode(path.trim_start_matches('/')).ok()?;
    response(theme.top_file(&path)?, &path, request)
}

fn response(file: ThemeFile, path: &str, request: &HeaderMap) -> Option<Response> {
    let headers = headers_of(path);
    match file {
        ThemeFile::BuiltIn(text) => {
            let sum = format!("{:032x}", XxHash3_128::oneshot(text.as_bytes()));
            let body = Bytes::from_static(text.as_bytes());
            compressed_files::of_text(body, &sum, headers, Fields::Map(request))
        }
        // `headers_of` sets `Vary` only for files that are worth compressing.
        ThemeFile::Open(file) if headers.get(&header::VARY).is_some() => {
            compressed_files::of_file(file, headers, request)
        }
        ThemeFile::Open(file) => Response::of_file(file, headers),
    }
}

fn headers_of(path: &str) -> Headers {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let mut headers: Headers = [
        (header::CACHE_CONTROL, CacheControl::Public.value()),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
    ]
    .into_iter()
    .collect();
    if is_text(&kind) || kind == mime::IMAGE_SVG {
        headers.set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    if let Ok(kind) = HeaderValue::from_str(&content_type(&kind)) {
        headers.set(header::CONTENT_TYPE, kind);
    }
    headers
}

fn is_text(kind: &Mime) -> bool {
    kind.type_() == mime::TEXT || matches!(kind.subtype().as_str(), "javascript" | "json" | "xml")
}

fn content_type(kind: &Mime) -> String {
    match kind.subtype() {
        // The type of Ghost 6.65 (recorded in admin-themes).
        mime::JAVASCRIPT => "application/javascript; charset=UTF-8".to_owned(),
        _ if is_text(kind) => format!("{}; charset=UTF-8", kind.essence_str()),
        _ => kind.essence_str().to_owned(),
    }
}
