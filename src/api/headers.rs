//! Header fields that responses share (Ghost 6.65, recorded).

use http::{HeaderName, HeaderValue, header};

use super::response::Headers;

/// The API version in the form of `/site/`.
pub const API_VERSION_NUMBER: &str = "6.65";

/// The major part of that version.
pub const API_VERSION_MAJOR: u64 = 6;

/// The minor part of that version.
pub const API_VERSION_MINOR: u64 = 65;

/// Names the API version of the response.
pub static CONTENT_VERSION: HeaderName = HeaderName::from_static("content-version");

/// The value of [`CONTENT_VERSION`].
pub static API_VERSION: HeaderValue = HeaderValue::from_static("v6.65");

/// Warns clients that use a URL with a version in it.
pub static DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// The `Vary` of a response with a body.
static VARY_WITH_BODY: HeaderValue = HeaderValue::from_static("Accept-Version, Accept-Encoding");

/// The `Vary` of a response without a body.
pub static VARY_WITHOUT_BODY: HeaderValue = HeaderValue::from_static("Accept-Version");

/// Returns the fields of every response with a JSON body.
pub fn of_json(cache_control: CacheControl) -> Headers {
    [
        (CONTENT_VERSION.clone(), API_VERSION.clone()),
        (header::VARY, VARY_WITH_BODY.clone()),
        (header::CACHE_CONTROL, cache_control.value()),
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=utf-8"),
        ),
    ]
    .into_iter()
    .collect()
}

/// Returns the fields of every response without a body.
pub fn without_body(cache_control: CacheControl) -> Headers {
    [
        (CONTENT_VERSION.clone(), API_VERSION.clone()),
        (header::VARY, VARY_WITHOUT_BODY.clone()),
        (header::CACHE_CONTROL, cache_control.value()),
    ]
    .into_iter()
    .collect()
}

/// The cache lifetime of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheControl {
    /// May be stored, but must be revalidated each time.
    Public,
    /// For an hour: lists for search engines and other programs.
    Hour,
    /// For a day.
    Day,
    /// For a year: permanent redirects and uploaded files.
    Year,
    /// Must not be stored: responses for missing resources.
    Absent,
    /// Must not be stored: all other responses.
    Private,
}

impl CacheControl {
    /// Returns the value of `Cache-Control`.
    pub fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Public => "public, max-age=0",
            Self::Hour => "public, max-age=3600",
            Self::Day => "public, max-age=86400",
            Self::Year => "public, max-age=31536000",
            Self::Absent => {
                "no-cache, max-age=0, no-store, must-revalidate, max-stale=0, post-check=0, pre-check=0"
            }
            Self::Private => {
                "no-cache, private, no-store, must-revalidate, max-stale=0, post-check=0, pre-check=0"
            }
        })
    }
}
