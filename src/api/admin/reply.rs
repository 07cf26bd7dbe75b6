//! What an endpoint of the Admin API answers, before the edge of the API adds what all answers have.

use std::fs::File;

use http::{HeaderName, HeaderValue, StatusCode, header};
use jiff::Timestamp;

use super::super::{
    error::status,
    headers::{CacheControl, VARY_WITHOUT_BODY},
    response::Headers,
};
use crate::error::Error;

/// What caches in front of the site are told to forget (Ghost 6.65, recorded).
pub static CACHE_INVALIDATE: HeaderName = HeaderName::from_static("x-cache-invalidate");

/// An answer to a request that succeeded.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// Header fields of this answer alone.
    pub headers: Headers,
    /// The body.
    pub body: ReplyBody,
}

/// The body of a reply.
#[derive(Debug)]
pub enum ReplyBody {
    /// None.
    Empty,
    /// JSON.
    Json(Vec<u8>),
    /// Anything else, with its kind.
    Other(HeaderValue, Vec<u8>),
    /// A file, with its kind and its length in bytes.
    File(HeaderValue, File, u64),
    /// A failure that comes with header fields of its own.
    Failure(Error),
}

impl From<Vec<u8>> for ReplyBody {
    fn from(json: Vec<u8>) -> Self {
        Self::Json(json)
    }
}

impl Reply {
    /// 200 with JSON.
    pub fn json(body: Vec<u8>) -> Self {
        Self::new(StatusCode::OK, ReplyBody::Json(body))
    }

    /// 200 with this value as JSON.
    pub fn value(body: &serde_json::Value) -> Self {
        Self::json(body.to_string().into_bytes())
    }

    /// 201 with JSON and the address of what was made.
    pub fn created(body: impl Into<ReplyBody>, location: &str) -> Self {
        Self::new(StatusCode::CREATED, body.into()).with_text(header::LOCATION, location)
    }

    /// A list as a file for spreadsheets, `members.2026-02-01.csv`, which passes proxies as it is (Ghost 6.65, recorded).
    /// `body` is made of its kind.
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

    /// 204 without a body.
    pub fn no_content() -> Self {
        Self::new(StatusCode::NO_CONTENT, ReplyBody::Empty)
    }

    /// A line of text.
    pub fn text(status: StatusCode, line: &str) -> Self {
        let kind = HeaderValue::from_static("text/plain; charset=utf-8");
        Self::new(status, ReplyBody::Other(kind, line.as_bytes().to_vec()))
    }

    /// A file of YAML, to be kept under this name. It is never packed, so it depends on less than other answers.
    pub fn yaml(name: &str, text: String) -> Self {
        let kind = HeaderValue::from_static("application/yaml; charset=utf-8");
        let disposition = format!("Attachment; filename=\"{name}\"");
        Self::new(StatusCode::OK, ReplyBody::Other(kind, text.into_bytes()))
            .with_text(header::CONTENT_DISPOSITION, &disposition)
            .unpacked()
    }

    /// The same, telling caches that it is never packed.
    pub fn unpacked(mut self) -> Self {
        self.headers.append(header::VARY, VARY_WITHOUT_BODY.clone());
        self
    }

    /// A failure that comes with header fields of its own.
    pub fn failure(error: Error) -> Self {
        Self::new(status(error.kind()), ReplyBody::Failure(error))
    }

    /// Any status and body.
    pub fn new(status: StatusCode, body: ReplyBody) -> Self {
        Self {
            status,
            headers: Headers::default(),
            body,
        }
    }

    /// The same, telling caches which addresses to forget: `/*` for all, a list with commas, or nothing in particular.
    pub fn invalidating(self, addresses: &str) -> Self {
        self.with_text(CACHE_INVALIDATE.clone(), addresses)
    }

    /// The same with a further header field. A value that no header can hold is left out.
    pub fn with_text(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }
}
