//! What is counted of requests and connections.
//!
//! Each event loop counts its own requests, so that no two write to the same memory.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};

use crate::api::request::RequestKind;
use crate::figures::{Counter, Durations, DurationsRead};

use super::limits::Limits;

/// Methods, by what they do.
pub const METHODS: [&str; 3] = ["read", "write", "other"];

/// Kinds of requests.
pub const KINDS: [&str; 4] = ["content", "admin", "file", "other"];

/// Classes of statuses.
pub const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// What is counted of a server.
#[derive(Debug)]
pub struct ServerFigures {
    of_loops: Vec<Arc<OfLoop>>,
    pub(super) opened: Counter,
    pub(super) closed: Counter,
    pub(super) refused: Counter,
}

/// What one event loop counts.
#[derive(Debug, Default)]
struct OfLoop {
    /// By method, kind and status.
    requests: [[[Counter; STATUSES.len()]; KINDS.len()]; METHODS.len()],
    /// By kind.
    durations: [Durations; KINDS.len()],
    from_memory: Counter,
    sent_bytes: Counter,
}

impl ServerFigures {
    /// For a server with these limits.
    pub fn new(limits: &Limits) -> Self {
        Self {
            of_loops: (0..limits.threads.max(1)).map(|_| Arc::default()).collect(),
            opened: Counter::default(),
            closed: Counter::default(),
            refused: Counter::default(),
        }
    }

    /// How many requests were answered, by method, kind and class of status: indices of [`METHODS`], [`KINDS`] and
    /// [`STATUSES`].
    pub fn requests(&self, method: usize, kind: usize, status: usize) -> u64 {
        let counters = self.of_loops.iter();
        counters
            .map(|of_loop| of_loop.requests[method][kind][status].get())
            .sum()
    }

    /// How long it took until answers were ready, by kind.
    pub fn durations(&self, kind: usize) -> DurationsRead {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| &of_loop.durations[kind]).collect()
    }

    /// How many answers came from memory.
    pub fn from_memory(&self) -> u64 {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| of_loop.from_memory.get()).sum()
    }

    /// How many bytes were sent, with all that belongs to answers.
    pub fn sent_bytes(&self) -> u64 {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| of_loop.sent_bytes.get()).sum()
    }

    /// How many connections were opened.
    pub fn opened(&self) -> u64 {
        self.opened.get()
    }

    /// How many connections are open.
    pub fn open(&self) -> u64 {
        // Read first, so that none is closed that was not opened.
        let closed = self.closed.get();
        self.opened.get().saturating_sub(closed)
    }

    /// How many connections were closed at once because their peer had as many as it may.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Who counts for the event loop of this number.
    pub(super) fn tally(&self, number: usize) -> Tally {
        Tally(self.of_loops.get(number).cloned())
    }
}

/// Counts what is done on one event loop; nothing, where nobody wants to know.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally(Option<Arc<OfLoop>>);

impl Tally {
    /// Whether anybody wants to know.
    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn answer_from_memory(&self) {
        if let Some(of_loop) = &self.0 {
            of_loop.from_memory.one();
        }
    }

    pub(super) fn sent(&self, bytes: usize) {
        if let Some(of_loop) = &self.0 {
            of_loop.sent_bytes.add(bytes as u64);
        }
    }

    /// Counts a request with its answer.
    pub(super) fn answered(
        &self,
        method: &Method,
        kind: RequestKind,
        status: StatusCode,
        duration: Duration,
    ) {
        let Some(of_loop) = &self.0 else {
            return;
        };
        let method = match *method {
            Method::GET | Method::HEAD => 0,
            Method::POST | Method::PUT | Method::PATCH | Method::DELETE => 1,
            _ => 2,
        };
        let status = usize::from(status.as_u16() / 100).clamp(1, STATUSES.len()) - 1;
        of_loop.requests[method][kind as usize][status].one();
        of_loop.durations[kind as usize].add(duration);
    }
}
