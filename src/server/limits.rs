//! What the edge grants: how much, how many, how long.
//!
//! Every limit is enforced on every connection and has a test over a real socket. The defaults suit one small server
//! that faces the internet without a proxy.

use std::thread::available_parallelism;
use std::time::Duration;

/// Most header fields of one request; the parser of HTTP/1.1 refuses more by itself.
pub(super) const HEADERS_MAX: usize = 100;

/// How much of a body must have come, or of an answer must have been taken, each time the time for it is over.
pub(super) const STEP_BYTES: u64 = 64 * 1024;

/// What a client gets of the server's memory, time and connections.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Threads that read, write and answer from memory, at least 1. Default: one for each processor.
    pub threads: usize,
    /// Requests answered at the same time from store and files, each on a thread of its own, at least 1.
    /// Default: two for each processor, no fewer than 32: those who change something wait for the disk, and share what it
    /// takes.
    pub workers: usize,
    /// Longest wait for a worker before 503. Default: 10 s.
    pub worker_timeout: Duration,
    /// Open connections. One more closes the one that has been idle for longest. Default: 4,096; each takes some 18 kB
    /// once it was used.
    pub connections_max: usize,
    /// Open connections of one IPv4 address or one IPv6 /64; one more is closed at once. Default: 2,048, half of all,
    /// because it may be a proxy.
    pub connections_per_peer_max: usize,
    /// Requests at once that wait for a change or are told of changes as they happen; one more is answered 503. Default:
    /// 2,048, half of the connections, so that they leave room for others.
    pub waiting_max: usize,
    /// Length of a request's header fields, in bytes. Default: 16 KiB. More than 100 fields are never read.
    pub headers_bytes_max: usize,
    /// Length of path and query, in bytes. Default: 8 KiB.
    pub target_bytes_max: usize,
    /// Length of a body, in bytes, where the handler names no other. Default: 1 MiB.
    pub body_bytes_max: u64,
    /// Memory of all bodies and of the work on them, in bytes; a request that needs more is answered 503. Default: 256 MiB.
    pub bodies_bytes_max: usize,
    /// Length of all answers that were made for one request each and have not been sent, in bytes, of which one peer gets a
    /// quarter; one more is answered 503. Answers from memory and files do not count. Default: 256 MiB.
    pub answers_bytes_max: usize,
    /// Time from the first byte of a request to the end of its header. Default: 10 s.
    pub headers_timeout: Duration,
    /// Time for each 64 KiB of a body, and for its rest. Default: 20 s.
    pub body_timeout: Duration,
    /// Time for the client to take each 64 KiB of an answer, and its rest. Default: 30 s.
    pub write_timeout: Duration,
    /// Time that a connection stays open without a request. Default: 75 s.
    pub idle_timeout: Duration,
    /// Time after which a client that hears of changes is sent something although there are none. Default: 15 s.
    pub heartbeat: Duration,
    /// Time for requests in flight when the server stops. Default: 10 s.
    pub stop_timeout: Duration,
    /// Requests at once on one HTTP/2 connection. Default: 100.
    pub http2_streams_max: u32,
    /// Streams that an HTTP/2 client may reset before they were looked at, until its connection is closed. Default: 20.
    pub http2_resets_max: usize,
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
            answers_bytes_max: 256 * 1024 * 1024,
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
    /// Bytes the parser takes of a request head before it gives up with an answer that has no body.
    ///
    /// Well above the limits, so that whoever is only a little over them gets an answer in the API's form.
    pub(super) fn head_bytes_max(&self) -> usize {
        const FLOOR: usize = 64 * 1024;
        FLOOR.max(2 * (self.headers_bytes_max + self.target_bytes_max))
    }
}
