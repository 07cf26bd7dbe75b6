//! Header fields that answers share (Ghost 6.65, recorded).

use http::{HeaderName, HeaderValue, header};
use twox_hash::XxHash3_128;

use super::response::Headers;

/// The level of the API that answers, as `/site/` says it.
pub const API_VERSION_NUMBER: &str = "6.65";

/// The major version of that level.
pub const API_VERSION_MAJOR: u64 = 6;

/// The second number of that version.
pub const API_VERSION_MINOR: u64 = 65;

/// Names the level of the API that answered.
pub static CONTENT_VERSION: HeaderName = HeaderName::from_static("content-version");

/// The value of [`CONTENT_VERSION`].
pub static API_VERSION: HeaderValue = HeaderValue::from_static("v6.65");

/// Warns those who use an address with a version in it.
pub static DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// What an answer with a body depends on.
static VARY_WITH_BODY: HeaderValue = HeaderValue::from_static("Accept-Version, Accept-Encoding");

/// What an answer without a body depends on.
pub static VARY_WITHOUT_BODY: HeaderValue = HeaderValue::from_static("Accept-Version");

/// The fields that every answer with a body of JSON has.
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

/// The fields that every answer without a body has.
pub fn without_body(cache_control: CacheControl) -> Headers {
    [
        (CONTENT_VERSION.clone(), API_VERSION.clone()),
        (header::VARY, VARY_WITHOUT_BODY.clone()),
        (header::CACHE_CONTROL, cache_control.value()),
    ]
    .into_iter()
    .collect()
}

/// The weak tag of a body: its length and a hash that is made for speed, since nobody gains by two bodies with one tag.
pub fn entity_tag(body: &[u8]) -> HeaderValue {
    let tag = format!("W/\"{:x}-{:032x}\"", body.len(), XxHash3_128::oneshot(body));
    HeaderValue::from_str(&tag).expect("invariant: digits and quotes can stand in a header field")
}

/// How long others may keep an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheControl {
    /// Must be asked about each time.
    Public,
    /// For a year: redirects and files.
    Year,
    /// Not at all: something is not there.
    Absent,
    /// Not at all: anything else.
    Private,
}

impl CacheControl {
    /// The value of the field.
    pub fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Public => "public, max-age=0",
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
