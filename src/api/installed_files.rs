//! Files of packages that were installed next to the site, in the encoding that the client prefers.

use std::fs::File;

use http::{HeaderValue, header};

use super::{
    content_encoding::ContentEncoding,
    params::decode,
    request::{Fields, RequestHead},
    response::{Headers, Response},
};
use crate::npm_packages::COMPRESSED_FORMS;

/// The `Cache-Control` of a file whose path changes with its content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// Returns the response with the file at a path that changes with its content; `None` if there is no file. `open` gets the
/// path and the extension of a compressed form.
pub fn immutable(
    path: &str,
    open: impl Fn(&str, &str) -> Option<File>,
    head: &RequestHead,
) -> Option<Response> {
    let path = decode(path).ok()?;
    let kind = mime_guess::from_path(&*path).first_or_octet_stream();
    let headers = [
        (header::CACHE_CONTROL, IMMUTABLE),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::CONTENT_TYPE,
            HeaderValue::from_str(kind.essence_str()).ok()?,
        ),
    ]
    .into_iter()
    .collect();
    respond(|ending| open(&path, ending), headers, head)
}

/// Returns the response with a file and these header fields. `open` gets the extension of a compressed form, which is empty
/// for the file itself.
pub fn respond(
    open: impl Fn(&str) -> Option<File>,
    mut headers: Headers,
    head: &RequestHead,
) -> Option<Response> {
    headers.set(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    // Packages are stored with these two compressed forms only.
    let preferred = match ContentEncoding::preferred(Fields::Map(&head.headers)) {
        ContentEncoding::Brotli => "br",
        ContentEncoding::Gzip => "gzip",
        ContentEncoding::Deflate | ContentEncoding::None => "",
    };
    let compressed = COMPRESSED_FORMS
        .into_iter()
        .filter(|(encoding, _)| *encoding == preferred)
        .find_map(|(encoding, ending)| Some((encoding, open(ending)?)));
    match compressed {
        Some((encoding, file)) => {
            headers.set(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
            Response::of_file(file, headers)
        }
        None => Response::of_file(open("")?, headers),
    }
}
