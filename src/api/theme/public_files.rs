//! The scripts and styles of pages, below `/public/`.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::Value as Json;

use crate::{
    api::{
        content_encoding,
        headers::CacheControl,
        request::RequestHead,
        response::{Headers, Response},
        response_cache::CachedResponse,
    },
    front_end::public_files,
};

/// Returns the response with a file for the pages of a theme; `None` if there is none at the path.
pub(super) fn respond(path: &str, package: &Json, head: &RequestHead) -> Option<Response> {
    let file = public_files::find(path, package)?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", file.sum)).ok()?;
    let headers: Headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(file.content_type),
        ),
        (header::CACHE_CONTROL, CacheControl::Year.value()),
        (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        (header::ETAG, tag),
    ]
    .into_iter()
    .collect();
    let body = match file.content {
        Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Cow::Owned(text) => Bytes::from(text),
    };
    let fields = head.head_ref().fields;
    Some(content_encoding::response(
        &CachedResponse::new(headers, body),
        fields,
    ))
}
