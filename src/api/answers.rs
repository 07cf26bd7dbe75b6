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
    /// The answer as it is.
    pub plain: Form,
    /// The answer packed with deflate.
    pub deflate: OnceLock<Form>,
    /// The answer packed with gzip.
    pub gzip: OnceLock<Form>,
    /// The answer packed with Brotli.
    pub brotli: OnceLock<Form>,
    /// The header fields for whoever has the answer already, from when somebody had.
    pub headers_when_known: OnceLock<Headers>,
}

/// An answer as it is sent: packed in one way or not at all.
#[derive(Debug)]
pub struct Form {
    /// The header fields, the entity tag among them.
    pub headers: Headers,
    /// The body.
    pub body: Bytes,
    /// The body as the kernel has it, from when it was first sent from memory and a copy could be had.
    pub copy: OnceLock<Arc<KernelCopy>>,
}

impl Answer {
    /// An answer that nobody asked to be packed yet.
    pub fn new(headers: Headers, body: Bytes) -> Self {
        Self {
            plain: Form::new(headers, body),
            deflate: OnceLock::new(),
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
            headers_when_known: OnceLock::new(),
        }
    }
}

impl Form {
    /// A form of which the kernel has nothing yet.
    pub fn new(headers: Headers, body: Bytes) -> Self {
        Self {
            headers,
            body,
            copy: OnceLock::new(),
        }
    }
}

/// Answers by request, bounded in bytes.
pub struct AnswerCache(Recent<Box<str>, Answer>);

impl AnswerCache {
    /// An empty cache that keeps at most about `bytes_max` bytes.
    ///
    /// The packed forms of an answer, together at most its size, and what the kernel has of all forms are counted as if they
    /// were there from the start.
    pub fn new(bytes_max: usize) -> Self {
        Self(Recent::new(bytes_max))
    }

    /// The answer to `request`, if it is kept.
    pub fn get(&self, request: &str) -> Option<Arc<Answer>> {
        self.0.get(request)
    }

    /// Keeps `answer` for `request`, unless it alone would fill the cache.
    pub fn put(&self, request: &str, answer: &Arc<Answer>) {
        let body_bytes = answer.plain.body.len();
        let bodies = match body_bytes < COPIED_BYTES_MIN {
            true => 2,
            false => 4,
        };
        let cost = request.len() + bodies * body_bytes + ENTRY_OVERHEAD_BYTES;
        self.0.put(request.into(), answer, cost);
    }

    /// Forgets the answers that were not asked for since the last call but one.
    pub fn evict_unused(&self) {
        self.0.evict_unused();
    }

    /// Bytes that are taken by what is kept.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}
