//! The request log: one line for each request, by `tracing`, target `galley::request`, level debug.
//!
//! Neither query nor header fields are written: keys and tokens stand there. While nobody listens on that level a
//! request costs one comparison, not even a look at the clock.

use std::time::Instant;

use tracing::{Level, debug, enabled};

use crate::api::request::RequestHead;
use crate::api::response::Response;

const TARGET: &str = "galley::request";

/// Measures a request for the log, if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Stopwatch(enabled!(target: TARGET, Level::DEBUG).then(Instant::now))
    }

    /// Writes the line. `bytes` is the length of the body; `microseconds` end when the answer is ready to be sent.
    pub(super) fn log(self, head: &RequestHead, response: &Response) {
        if let Some(start) = self.0 {
            debug!(
                target: TARGET,
                method = %head.method,
                path = head.target.path(),
                status = response.status.as_u16(),
                bytes = response.body.length(),
                microseconds = start.elapsed().as_micros() as u64,
                peer = %head.peer,
            );
        }
    }
}
