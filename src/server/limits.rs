//! The limits of the HTTP server: sizes, counts and times.
//!
//! Every limit is enforced on every connection and has a test over a real socket. The defaults suit
//! one small server that faces the internet without a proxy.

use std::thread::available_parallelism;
use std::time::Duration;

/// Maximum number of header fields of one request; the HTTP/1.1 parser refuses more.
pub(super) const HEADERS_MAX: usize = 100;

/// Bytes of a body that must arrive, or of a response that the client must receive, within each
/// timeout.
pub(super) const STEP_BYTES: u64 = 64 * 1024;

/// Limits on the memory, time and connections that one client or all clients may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Number of threads that read, write and serve from memory, at least 1. Default: one for each
    /// processor.
    pub threads: usize,
    /// Maximum number of requests that are handled at the same time with the store and files, each on a
    /// separate thread, at least 1. Default: two for each processor, at least 32: changes wait for the disk
    /// and share one write.
    pub workers: usize,
    /// Maximum time to wait for a worker before a 503 is returned. Default: 10 s.
    pub worker_timeout: Duration,
    /// Maximum number of open connections. A further connection closes the one that has been idle for
    /// longest. Default: 4,096; each takes about 18 kB once it has been used.
    pub connections_max: usize,
    /// Maximum number of open connections from one IPv4 address or one IPv6 /64; a further one is closed
    /// immediately. Default: 2,048, half of all, because the peer may be a proxy.
    pub connections_per_peer_max: usize,
    /// Maximum number of concurrent requests that wait for a change or stream changes; a further one gets a
    /// 503. Default: 2,048, half of the connections, so that there is room for other requests.
    pub waiting_max: usize,
    /// Maximum length of a request's header fields, in bytes. Default: 16 KiB. More than 100 fields are
    /// never read.
    pub headers_bytes_max: usize,
    /// Maximum length of path and query, in bytes. Default: 8 KiB.
    pub target_bytes_max: usize,
    /// Maximum length of a body, in bytes, unless the handler sets another limit. Default: 1 MiB.
    pub body_bytes_max: u64,
    /// Memory for all bodies and the work on them, in bytes; a request that needs more gets a 503. Default:
    /// 256 MiB.
    pub bodies_bytes_max: usize,
    /// Maximum total length of the unsent responses that were built for one request each, in bytes. One
    /// peer gets at most a quarter. A further response becomes a 503. Responses from memory and files do
    /// not count. Default: 256 MiB.
    pub responses_bytes_max: usize,
    /// Time from the first byte of a request to the end of its header section. Default: 10 s.
    pub headers_timeout: Duration,
    /// Time for each 64 KiB of a body, and for its rest. Default: 20 s.
    pub body_timeout: Duration,
    /// Time for the client to receive each 64 KiB of a response, and its rest. Default: 30 s.
    pub write_timeout: Duration,
    /// Time for which a connection stays open without a request. Default: 75 s.
    pub idle_timeout: Duration,
    /// Time without changes after which a client that streams them gets a heartbeat. Default: 15 s.
    pub heartbeat: Duration,
    /// Time for requests in flight to finish when the server stops. Default: 10 s.
    pub stop_timeout: Duration,
    /// Maximum number of concurrent requests on one HTTP/2 connection. Default: 100.
    pub http2_streams_max: u32,
    /// Number of streams that an HTTP/2 client may reset before they are handled, after which its
    /// connection is closed. Default: 20.
    pub http2_resets_max: usize,
}

/// The limits that can change while the server runs. A connection keeps the timeouts from when it was
/// opened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LiveLimits {
    pub connections_max: usize,
    pub connections_per_peer_max: usize,
    pub waiting_max: usize,
    pub body_bytes_max: u64,
    pub headers_timeout: Duration,
    pub body_timeout: Duration,
    pub write_timeout: Duration,
    pub idle_timeout: Duration,
}

impl From<&Limits> for LiveLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            connections_max: limits.connections_max,
            connections_per_peer_max: limits.connections_per_peer_max,
            waiting_max: limits.waiting_max,
            body_bytes_max: limits.body_bytes_max,
            headers_timeout: limits.headers_timeout,
            body_timeout: limits.body_timeout,
            write_timeout: limits.write_timeout,
            idle_timeout: limits.idle_timeout,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Limits {
            threads: processors,
            workers: (2 * processors).max(32),
            worker_timeout: Duration::from_secs(10),
            connections_max: 4096,
            connections_per_peer_max: 2048,
            waiting_max: 2048,
            headers_bytes_max: 16 * 1024,
            target_bytes_max: 8 * 1024,
            body_bytes_max: 1024 * 1024,
            bodies_bytes_max: 256 * 1024 * 1024,
            responses_bytes_max: 256 * 1024 * 1024,
            headers_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(20),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            heartbeat: Duration::from_secs(15),
            stop_timeout: Duration::from_secs(10),
            http2_streams_max: 100,
            http2_resets_max: 20,
        }
    }
}

impl Limits {
    /// Returns how many bytes of a header section the parser reads before it fails with a response without
    /// a body.
    ///
    /// This is well above the limits, so that a client that exceeds them only slightly gets a response in
    /// the API's format.
    pub(super) fn head_bytes_max(&self) -> usize {
        const FLOOR: usize = 64 * 1024;
        FLOOR.max(2 * (self.headers_bytes_max + self.target_bytes_max))
    }
}
