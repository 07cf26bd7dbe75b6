//! The reply of an endpoint of the Admin API, before the common header fields are added.

use std::fs::File;

use http::{HeaderName, HeaderValue, StatusCode, header};
use jiff::Timestamp;

use super::super::{
    error::status,
    headers::{CacheControl, VARY_WITHOUT_BODY},
    response::Headers,
};
use crate::error::Error;

/// The URLs that caches in front of the site must invalidate (Ghost 6.65, recorded).
pub static CACHE_INVALIDATE: HeaderName = HeaderName::from_static("x-cache-invalidate");

/// The reply of an endpoint, or a failure with its own header fields.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// Header fields of this reply only.
    pub headers: Headers,
    /// The body.
    pub body: ReplyBody,
}

/// The body of a reply.
#[derive(Debug)]
pub enum ReplyBody {
    /// No body.
    Empty,
    /// JSON.
    Json(Vec<u8>),
    /// Any other body, with its media type.
    Other(HeaderValue, Vec<u8>),
    /// A file, with its media type and its length in bytes.
    File(HeaderValue, File, u64),
    /// An error with its own header fields.
    Failure(Error),
}

impl From<Vec<u8>> for ReplyBody {
    fn from(json: Vec<u8>) -> Self {
        Self::Json(json)
    }
}

impl Reply {
    /// Returns 200 with JSON.
    pub fn json(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, ReplyBody::Json(body))
    }

    /// Returns 200 with this value as JSON.
    pub fn value(body: &serde_json::Value) -> Self {
        Self::json(body.to_string().into_bytes())
    }

    /// Returns 201 with JSON and the URL of the new record.
    pub fn created(body: impl Into<ReplyBody>, location: &str) -> Self {
        Self::new(StatusCode::CREATED, body.into()).with_text(header::LOCATION, location)
    }

    /// Returns a CSV file such as `members.2026-02-01.csv`, which proxies must not transform (Ghost
    /// 6.65, recorded). `body` gets the media type.
    pub fn spreadsheet(
        name: &str,
        now: Timestamp,
        body: impl FnOnce(HeaderValue) -> ReplyBody,
    ) -> Self {
        let kind = HeaderValue::from_static("text/csv; charset=utf-8");
        let private = CacheControl::Private.value();
        let cache_control = format!("{}, no-transform", private.to_str().unwrap_or_default());
        let date = now.strftime("%Y-%m-%d");
        let disposition = format!("attachment; filename=\"{name}.{date}.csv\"");
        Self::new(StatusCode::OK, body(kind))
            .with_text(header::CACHE_CONTROL, &cache_control)
            .with_text(header::VARY, VARY_WITHOUT_BODY.to_str().unwrap_or_default())
            .with_text(header::CONTENT_DISPOSITION, &disposition)
    }

    /// Returns 204 without a body.
    pub fn no_content() -> Self {
        Self::new(StatusCode::NO_CONTENT, ReplyBody::Empty)
    }

    /// Returns a line of text.
    pub fn text(status: StatusCode, line: &str) -> Self {
        let kind = HeaderValue::from_static("text/plain; charset=utf-8");
        Self::new(status, ReplyBody::Other(kind, line.as_bytes().to_vec()))
    }

    /// Returns a YAML file for download under this name. It is never compressed, so its `Vary` omits
    /// the fields for compression.
    pub fn yaml(name: &str, text: String) -> Self {
        let kind = HeaderValue::from_static("application/yaml; charset=utf-8");
        let disposition = format!("Attachment; filename=\"{name}\"");
        Self::new(StatusCode::OK, ReplyBody::Other(kind, text.into_bytes()))
            .with_text(header::CONTENT_DISPOSITION, &disposition)
            .uncompressed()
    }

    /// Marks this reply as never compressed, in its `Vary`.
    pub fn uncompressed(mut self) -> Self {
        self.headers.append(header::VARY, VARY_WITHOUT_BODY.clone());
        self
    }

    /// Returns an error with its own header fields.
    pub fn failure(error: Error) -> Self {
        Self::new(status(error.kind()), ReplyBody::Failure(error))
    }

    /// Returns a reply with any status and body.
    pub fn new(status: StatusCode, body: ReplyBody) -> Self {
        Self {
            status,
            headers: Headers::default(),
            body,
        }
    }

    /// Adds the URLs that caches must invalidate: `/*` for all, a comma-separated list, or an empty
    /// text for none.
    pub fn invalidating(self, site_urls: &str) -> Self {
        self.with_text(CACHE_INVALIDATE.clone(), site_urls)
    }

    /// Adds a header field. The field is omitted if the value is not valid in a header.
    pub fn with_text(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }
}
