//! Finished answers, kept as bytes.
//!
//! An answer of the Content API is a pure function of the catalog and the request, so a cache belongs to one catalog and
//! goes with it; nothing in it is ever out of date.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::{
    kernel_copy::{COPIED_BYTES_MIN, KernelCopy},
    recent::Recent,
    response::Headers,
};

/// What an entry costs beside its key and bodies: map slot, header fields and counters.
const ENTRY_OVERHEAD_BYTES: usize = 500;

/// One finished answer with its packed forms, each made when it is first asked for.
#[derive(Debug)]
pub struct Answer {
    /// The header fields of the unpacked answer, the entity tag among them.
    pub headers: Headers,
    /// The body as it is.
    pub body: Bytes,
    /// The body as the kernel has it, from when the answer was first sent from memory and a copy could be had.
    pub copy: OnceLock<Arc<KernelCopy>>,
    /// The answer packed with gzip.
    pub gzip: OnceLock<(Headers, Bytes)>,
    /// The answer packed with Brotli.
    pub brotli: OnceLock<(Headers, Bytes)>,
}

impl Answer {
    /// An answer that nobody asked to be packed yet.
    pub fn new(headers: Headers, body: Bytes) -> Self {
        Self {
            headers,
            body,
            copy: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }
}

/// Answers by request, bounded in bytes.
pub struct AnswerCache(Recent<Box<str>, Answer>);

impl AnswerCache {
    /// An empty cache that keeps at most about `bytes_max` bytes.
    ///
    /// The packed forms of an answer, together at most its size, and what the kernel has of it are counted as if they were
    /// there from the start.
    pub fn new(bytes_max: usize) -> Self {
        Self(Recent::new(bytes_max))
    }

    /// The answer to `request`, if it is kept.
    pub fn get(&self, request: &str) -> Option<Arc<Answer>> {
        self.0.get(request)
    }

    /// Keeps `answer` for `request`, unless it alone would fill the cache.
    pub fn put(&self, request: &str, answer: &Arc<Answer>) {
        let bodies = match answer.body.len() < COPIED_BYTES_MIN {
            true => 2,
            false => 3,
        };
        let cost = request.len() + bodies * answer.body.len() + ENTRY_OVERHEAD_BYTES;
        self.0.put(request.into(), answer, cost);
    }

    /// Bytes that are taken by what is kept.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
