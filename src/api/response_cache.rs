//! Complete responses, cached as bytes.
//!
//! A response of the Content API is a pure function of the catalog, the request, and the content that its reader
//! may read, so a cache belongs to one catalog and is dropped with it. Entries that depend on the time
//! expire.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::{
    recent_cache::RecentCache,
    response::Headers,
    sendfile_copy::{COPIED_BYTES_MIN, SendfileCopy},
};

/// The time for which a response is cached if its content changes with time, such as a page with the time since a date.
pub const MOMENT: SignedDuration = SignedDuration::from_mins(1);

/// The overhead of an entry in addition to its key and bodies, in bytes: map slot, header fields and counters.
const ENTRY_OVERHEAD_BYTES: usize = 500;

/// A complete response with its compressed forms, each of which is created on first request.
#[derive(Debug)]
pub struct CachedResponse {
    /// The uncompressed response.
    pub plain: EncodedForm,
    /// The response compressed with deflate.
    pub deflate: OnceLock<EncodedForm>,
    /// The response compressed with gzip.
    pub gzip: OnceLock<EncodedForm>,
    /// The response compressed with Brotli.
    pub brotli: OnceLock<EncodedForm>,
    /// The time from which the response is no longer sent; `None` if it is valid until the site changes.
    pub expires_at: Option<Timestamp>,
    /// The header fields of the 304 response, set when it is first sent.
    pub headers_not_modified: OnceLock<Headers>,
}

/// A response in the form in which it is sent, with one content encoding or none.
#[derive(Debug)]
pub struct EncodedForm {
    /// The header fields, including the entity tag.
    pub headers: Headers,
    /// The body.
    pub body: Bytes,
    /// The kernel-side copy of the body, created when the response is first sent from the cache, if
    /// possible.
    pub copy: OnceLock<Arc<SendfileCopy>>,
}

impl CachedResponse {
    /// Returns a response without compressed forms that is valid until the site changes.
    pub fn new(headers: Headers, body: Bytes) -> Self {
        Self {
            plain: EncodedForm::new(headers, body),
            expires_at: None,
            deflate: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
            headers_not_modified: OnceLock::new(),
        }
    }

    /// Returns whether the response may still be sent.
    pub fn is_current(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

impl EncodedForm {
    /// Returns a form without a kernel-side copy.
    pub fn new(headers: Headers, body: Bytes) -> Self {
        Self {
            headers,
            body,
            copy: OnceLock::new(),
        }
    }
}

/// A cache of responses by request, limited in bytes.
pub struct ResponseCache(RecentCache<Box<str>, CachedResponse>);

impl ResponseCache {
    /// Returns an empty cache that holds at most about `bytes_max` bytes.
    ///
    /// The compressed forms of a response, whose total is estimated at the size of the body, and the
    /// kernel-side copies of all forms are counted from the start, even before they exist.
    pub fn new(bytes_max: usize) -> Self {
        Self(RecentCache::new(bytes_max))
    }

    /// Returns the cached response to `request`, if there is one.
    pub fn get(&self, request: &str) -> Option<Arc<CachedResponse>> {
        self.0.get(request)
    }

    /// Caches `response` for `request`, unless it is larger than half of the cache.
    pub fn put(&self, request: &str, response: &Arc<CachedResponse>) {
        let body_bytes = response.plain.body.len();
        // Counts the plain and compressed forms, and for long bodies also their copies in the kernel.
        let bodies = if body_bytes < COPIED_BYTES_MIN { 2 } else { 4 };
        let cost = request.len() + bodies * body_bytes + ENTRY_OVERHEAD_BYTES;
        self.0.put(request.into(), response, cost);
    }

    /// Evicts the responses that were not requested since the call before the last one.
    pub fn evict_unused(&self) {
        self.0.evict_unused();
    }

    /// Returns the size of the cached responses, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
