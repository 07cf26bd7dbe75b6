//! The activity of one connection, as reported by its socket, its requests and its responses.
//!
//! Only counters: reporting costs a store, without reading the clock or taking a lock. Together,
//! the counters determine the connection's [`Phase`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::limits::STEP_BYTES;

/// Values of the times below that mean "busy" and "not requested".
const BUSY: u64 = u64::MAX;
const NOT_REQUESTED: u64 = u64::MAX - 1;

/// The counters of one connection.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    /// Bytes read since the last complete header section.
    read: AtomicU64,
    /// Number of complete header sections so far.
    heads: AtomicU64,
    written: AtomicU64,
    handling: AtomicU32,
    sending: AtomicU32,
    live: AtomicU32,
    http2: AtomicBool,
    body_unread: AtomicBool,
    lingering: AtomicBool,
    /// True if the connection closes after its next response.
    closing: AtomicBool,
    /// Milliseconds after `opened` at which the last request and response ended, or `BUSY` while
    /// there is one.
    quiet_since: AtomicU64,
    /// The `quiet_since` at which the connection was requested to close to make room for another,
    /// or `NOT_REQUESTED`.
    room_requested: AtomicU64,
}

/// The state of a connection. Two equal values mean that there was no progress in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The connection waits for a request.
    Idle {
        /// All bytes written so far, which distinguish this wait from the previous one.
        written: u64,
    },
    /// A header section or a handshake has begun and is not complete.
    Head {
        /// All bytes written so far.
        written: u64,
    },
    /// A request is being read or handled, which has separate limits.
    Handling,
    /// The client is receiving a response.
    Sending {
        /// Full steps written so far.
        steps: u64,
    },
    /// The client has received all data of a streaming response so far.
    Live,
    /// Everything has been sent; further bytes from the client are discarded.
    Lingering,
}

impl Activity {
    /// Makes the connection close after its next response, which announces that.
    pub(super) fn close_after_response(&self) {
        // Relaxed, as all values here: each is independent, and no other data is published through
        // them.
        self.closing.store(true, Relaxed);
    }

    /// Returns whether the next response is the last one.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Relaxed)
    }

    /// Returns whether the connection uses HTTP/2.
    pub(super) fn is_http2(&self) -> bool {
        self.http2.load(Relaxed)
    }

    pub(super) fn new() -> Self {
        Activity {
            opened: Instant::now(),
            read: AtomicU64::new(0),
            heads: AtomicU64::new(0),
            written: AtomicU64::new(0),
            handling: AtomicU32::new(0),
            sending: AtomicU32::new(0),
            live: AtomicU32::new(0),
            http2: AtomicBool::new(false),
            body_unread: AtomicBool::new(false),
            lingering: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            quiet_since: AtomicU64::new(0),
            room_requested: AtomicU64::new(NOT_REQUESTED),
        }
    }

    pub(super) fn read(&self, bytes: usize) {
        // Only the connection's task adds, so a load and a store suffice.
        self.read
            .store(self.read.load(Relaxed) + bytes as u64, Relaxed);
    }

    pub(super) fn wrote(&self, bytes: usize) {
        self.written
            .store(self.written.load(Relaxed) + bytes as u64, Relaxed);
    }

    pub(super) fn head_complete(&self, http2: bool) {
        self.read.store(0, Relaxed);
        self.heads.store(self.heads.load(Relaxed) + 1, Relaxed);
        // Never reset: a connection does not change its protocol.
        if http2 {
            self.http2.store(true, Relaxed);
        }
    }

    /// Reports the end of the handshake: bytes read from now on belong to requests.
    pub(super) fn begin_requests(&self) {
        self.read.store(0, Relaxed);
    }

    /// Reports a request whose response was sent before the request was counted.
    pub(super) fn report_cached_response(&self) {
        self.read.store(0, Relaxed);
    }

    /// Returns whether exactly this many requests have been read and all of them have been
    /// responded to.
    pub(super) fn has_responded(&self, requests: u64) -> bool {
        // If fewer have been read, hyper has not parsed the last request yet.
        self.heads.load(Relaxed) == requests
            && self.handling.load(Relaxed) == 0
            && self.sending.load(Relaxed) == 0
            && self.live.load(Relaxed) == 0
    }

    pub(super) fn body_left_unread(&self) {
        self.body_unread.store(true, Relaxed);
    }

    pub(super) fn linger(&self) {
        self.lingering.store(true, Relaxed);
    }

    /// Marks a request as being handled until the mark is dropped.
    pub(super) fn handling(self: &Arc<Self>) -> HandlingGuard {
        self.handling.fetch_add(1, Relaxed);
        HandlingGuard(Arc::clone(self))
    }

    /// Marks a response as being sent until the mark is dropped.
    pub(super) fn sending(self: &Arc<Self>) -> SendingGuard {
        self.sending.fetch_add(1, Relaxed);
        SendingGuard(Arc::clone(self))
    }

    /// Marks a response as streaming until the mark is dropped.
    pub(super) fn lasting(self: &Arc<Self>) -> StreamingMark {
        self.live.fetch_add(1, Relaxed);
        StreamingMark(Arc::clone(self))
    }

    /// Returns whether the client may be in the middle of sending data that will not be read.
    pub(super) fn client_may_be_sending(&self) -> bool {
        // Over HTTP/2, the read bytes include frames that belong to no request.
        let unread = self.read.load(Relaxed) > 0 || self.body_unread.load(Relaxed);
        unread && !self.http2.load(Relaxed)
    }

    pub(super) fn phase(&self) -> Phase {
        let written = self.written.load(Relaxed);
        if self.lingering.load(Relaxed) {
            Phase::Lingering
        } else if self.handling.load(Relaxed) > 0 {
            Phase::Handling
        } else if self.sending.load(Relaxed) > 0 {
            Phase::Sending {
                steps: written / STEP_BYTES,
            }
        } else if self.live.load(Relaxed) > 0 {
            Phase::Live
        // Over HTTP/2, frames that are not requests (PING, WINDOW_UPDATE) are read as well, so
        // unread bytes do not mean that a request has begun.
        } else if self.read.load(Relaxed) > 0 && !self.http2.load(Relaxed) {
            Phase::Head { written }
        } else {
            Phase::Idle { written }
        }
    }

    /// Records that the connection is in `phase`, to determine its idle time.
    pub(super) fn entered(&self, phase: Phase, now: Instant) {
        // An incomplete header section counts as idle: a client that never completes it is closed
        // when room is needed.
        let since = match phase {
            Phase::Idle { .. } | Phase::Head { .. } => (now - self.opened).as_millis() as u64,
            Phase::Handling | Phase::Sending { .. } | Phase::Live | Phase::Lingering => BUSY,
        };
        // A new period has a different value, which also withdraws an order to close during the
        // previous one.
        self.quiet_since.store(since, Relaxed);
    }

    /// Returns the period since the last request and response; `None` while there is one.
    pub(super) fn quiet(&self) -> Option<IdlePeriod> {
        let since = self.quiet_since.load(Relaxed);
        (since != BUSY).then_some(IdlePeriod {
            began: self.opened + Duration::from_millis(since),
            since,
        })
    }

    /// Requests that the connection closes unless there is activity meanwhile.
    pub(super) fn request_close(&self, quiet: IdlePeriod) {
        self.room_requested.store(quiet.since, Relaxed);
    }

    /// Returns whether the connection was requested to close and has had no activity since.
    pub(super) fn is_close_requested(&self) -> bool {
        // A request in between has changed `quiet_since`, so the connection stays open.
        self.room_requested.load(Relaxed) == self.quiet_since.load(Relaxed)
    }
}

/// A period without activity on a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdlePeriod {
    pub(super) began: Instant,
    since: u64,
}

/// Held while a request is read or handled.
#[derive(Debug)]
pub(super) struct HandlingGuard(Arc<Activity>);

impl Drop for HandlingGuard {
    fn drop(&mut self) {
        // Bytes read since the header section were this request's body.
        self.0.read.store(0, Relaxed);
        self.0.handling.fetch_sub(1, Relaxed);
    }
}

/// Held while a response is sent.
#[derive(Debug)]
pub(super) struct SendingGuard(Arc<Activity>);

impl Clone for SendingGuard {
    fn clone(&self) -> Self {
        self.0.sending()
    }
}

impl Drop for SendingGuard {
    fn drop(&mut self) {
        self.0.sending.fetch_sub(1, Relaxed);
    }
}

/// Held while a response is streaming.
#[derive(Debug)]
pub(super) struct StreamingMark(Arc<Activity>);

impl StreamingMark {
    /// Marks a part of the response as being sent until the mark is dropped.
    pub(super) fn sending(&self) -> SendingGuard {
        self.0.sending()
    }
}

impl Drop for StreamingMark {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Relaxed);
    }
}
