//! Metrics of requests and connections.
//!
//! Each event loop counts its own requests, so that no two threads write to the same memory.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};

use crate::api::request::RequestKind;
use crate::counters::{Counter, DurationTotals, Durations};

use super::limits::Limits;

/// Groups of methods, by effect.
pub const METHODS: [&str; 3] = ["read", "write", "other"];

/// Kinds of requests.
pub const KINDS: [&str; 4] = ["content", "admin", "file", "other"];

/// Classes of statuses.
pub const STATUSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The counters of a server.
#[derive(Debug)]
pub struct ServerMetrics {
    of_loops: Vec<Arc<LoopCounters>>,
    pub(super) opened: Counter,
    pub(super) closed: Counter,
    pub(super) refused: Counter,
}

/// The counters of one event loop.
#[derive(Debug, Default)]
struct LoopCounters {
    /// By method, kind and status.
    requests: [[[Counter; STATUSES.len()]; KINDS.len()]; METHODS.len()],
    /// By kind.
    durations: [Durations; KINDS.len()],
    from_memory: Counter,
    sent_bytes: Counter,
}

impl ServerMetrics {
    /// Creates the counters for a server with these limits.
    pub fn new(limits: &Limits) -> Self {
        Self {
            // A separate allocation for each loop, so that loops do not write to the same cache
            // lines.
            of_loops: (0..limits.threads.max(1)).map(|_| Arc::default()).collect(),
            opened: Counter::default(),
            closed: Counter::default(),
            refused: Counter::default(),
        }
    }

    /// Returns the number of requests handled, by method, kind and status class: indices of
    /// [`METHODS`], [`KINDS`] and [`STATUSES`].
    pub fn requests(&self, method: usize, kind: usize, status: usize) -> u64 {
        let counters = self.of_loops.iter();
        counters
            .map(|of_loop| of_loop.requests[method][kind][status].get())
            .sum()
    }

    /// Returns the durations until responses were ready, by kind.
    pub fn durations(&self, kind: usize) -> DurationTotals {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| &of_loop.durations[kind]).collect()
    }

    /// Returns the number of responses served from memory.
    pub fn from_memory(&self) -> u64 {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| of_loop.from_memory.get()).sum()
    }

    /// Returns the number of bytes sent, including header sections.
    pub fn sent_bytes(&self) -> u64 {
        let of_loops = self.of_loops.iter();
        of_loops.map(|of_loop| of_loop.sent_bytes.get()).sum()
    }

    /// Returns the number of connections opened.
    pub fn opened(&self) -> u64 {
        self.opened.get()
    }

    /// Returns the number of open connections.
    pub fn open(&self) -> u64 {
        // `closed` is read first, so that a connection that is opened and closed in between is not counted
        // as closed only.
        let closed = self.closed.get();
        self.opened.get().saturating_sub(closed)
    }

    /// Returns the number of connections closed immediately because their peer had reached its limit.
    pub fn refused(&self) -> u64 {
        self.refused.get()
    }

    /// Returns the counters of the event loop with this number.
    pub(super) fn local_counters(&self, number: usize) -> LocalCounters {
        LocalCounters(self.of_loops.get(number).cloned())
    }
}

/// Counts the events of one event loop; does nothing if metrics are off.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalCounters(Option<Arc<LoopCounters>>);

impl LocalCounters {
    /// Returns whether metrics are on.
    pub(super) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn respond_from_memory(&self) {
        if let Some(of_loop) = &self.0 {
            of_loop.from_memory.one();
        }
    }

    pub(super) fn sent(&self, bytes: usize) {
        if let Some(of_loop) = &self.0 {
            of_loop.sent_bytes.add(bytes as u64);
        }
    }

    /// Counts a request with its response.
    pub(super) fn count_response(
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
