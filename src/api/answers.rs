//! Finished answers, kept as bytes.
//!
//! An answer of the Content API is a pure function of the catalog and the request, so a cache belongs to one catalog and
//! goes with it; nothing in it is ever out of date. Reading takes no lock. The bound is kept by two halves: what is found
//! in the older half moves to the younger, and when that is full the older half is forgotten as a whole.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use arc_swap::ArcSwap;
use bytes::Bytes;
use papaya::HashMap;

use super::response::Headers;

/// What an entry costs beside its key and bodies: map slot, header fields and counters.
const ENTRY_OVERHEAD_BYTES: usize = 500;

/// One finished answer with its packed forms, each made when it is first asked for.
#[derive(Debug)]
pub struct Answer {
    /// The header fields of the unpacked answer, the entity tag among them.
    pub headers: Headers,
    /// The body as it is.
    pub body: Bytes,
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
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }
}

/// Answers by request, bounded in bytes.
pub struct AnswerCache {
    halves: ArcSwap<Halves>,
    half_bytes_max: usize,
}

#[derive(Default)]
struct Halves {
    younger: Arc<Half>,
    older: Arc<Half>,
}

#[derive(Default)]
struct Half {
    answers: HashMap<Box<str>, Arc<Answer>>,
    bytes: AtomicUsize,
}

impl AnswerCache {
    /// An empty cache that keeps at most about `bytes_max` bytes.
    ///
    /// The packed forms of an answer, together at most its size, are counted as if they were there from the start.
    pub fn new(bytes_max: usize) -> Self {
        Self {
            halves: ArcSwap::default(),
            half_bytes_max: bytes_max / 2,
        }
    }

    /// The answer to `request`, if it is kept.
    pub fn get(&self, request: &str) -> Option<Arc<Answer>> {
        let halves = self.halves.load();
        if let Some(answer) = halves.younger.get(request) {
            return Some(answer);
        }
        let answer = halves.older.get(request)?;
        self.put(request, &answer);
        Some(answer)
    }

    /// Keeps `answer` for `request`, unless it alone would fill the cache.
    pub fn put(&self, request: &str, answer: &Arc<Answer>) {
        let cost = request.len() + 2 * answer.body.len() + ENTRY_OVERHEAD_BYTES;
        if cost > self.half_bytes_max {
            return;
        }
        let halves = self.halves.load();
        if halves.younger.add(request, answer, cost) > self.half_bytes_max {
            // Two threads may both find the half full; the second then forgets a little more than it had to.
            self.halves.store(Arc::new(Halves {
                younger: Arc::default(),
                older: Arc::clone(&halves.younger),
            }));
        }
    }

    /// Bytes that are taken by what is kept.
    pub fn bytes(&self) -> usize {
        let halves = self.halves.load();
        halves.younger.bytes() + halves.older.bytes()
    }
}

impl Half {
    fn get(&self, request: &str) -> Option<Arc<Answer>> {
        self.answers.pin().get(request).map(Arc::clone)
    }

    /// Adds an answer and tells how many bytes are taken now.
    fn add(&self, request: &str, answer: &Arc<Answer>, cost: usize) -> usize {
        let replaced = self
            .answers
            .pin()
            .insert(request.into(), Arc::clone(answer))
            .is_some();
        let added = if replaced { 0 } else { cost };
        self.bytes.fetch_add(added, Ordering::Relaxed) + added
    }

    fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Arc<Answer> {
        Arc::new(Answer::new(
            Headers::default(),
            Bytes::from(vec![b'x'; bytes]),
        ))
    }

    #[test]
    fn what_was_put_is_found_again() {
        let cache = AnswerCache::new(1 << 20);
        cache.put("posts", &answer(10));
        assert_eq!(cache.get("posts").expect("kept").body.len(), 10);
        assert!(cache.get("pages").is_none());
    }

    #[test]
    fn the_bound_holds_and_what_is_asked_for_often_stays() {
        let cache = AnswerCache::new(100_000);
        cache.put("often", &answer(1_000));
        for number in 0..1_000 {
            cache.put(&format!("once-{number}"), &answer(1_000));
            assert!(cache.get("often").is_some(), "after {number}");
        }
        assert!(cache.bytes() <= 105_000, "{}", cache.bytes());
        assert!(cache.get("once-0").is_none());
    }

    #[test]
    fn an_answer_that_would_fill_the_cache_is_not_kept() {
        let cache = AnswerCache::new(1_000);
        cache.put("huge", &answer(10_000));
        assert!(cache.get("huge").is_none());
        assert_eq!(cache.bytes(), 0);
    }
}
