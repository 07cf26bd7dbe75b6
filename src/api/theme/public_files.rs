//! The scripts and styles of pages, below `/public/`.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::Value as Json;

use crate::{
    api::{
        compressed_files,
        headers::CacheControl,
        request::RequestHead,
        response::{Headers, Response},
    },
    front_end::public_files,
};

/// Returns the response with a file for the pages of a theme; `None` if there is no file at the path.
pub(super) fn respond(path: &str, package: &Json, head: &RequestHead) -> Option<Response> {
    let file = public_files::find(path, package)?;
    let headers: Headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(file.content_type),
        ),
        (header::CACHE_CONTROL, CacheControl::Year.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
    ]
    .into_iter()
    .collect();
    let body = match file.content {
        Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Cow::Owned(text) => Bytes::from(text),
    };
    let fields = head.head_ref().fields;
    compressed_files::of_text(body, &file.sum, headers, fields)
}
