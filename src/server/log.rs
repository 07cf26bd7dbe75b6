//! The request log: one `tracing` event for each request, with target `galley::request` and level
//! debug.
//!
//! Queries and header fields are not logged, because they contain keys and tokens. Tokens in paths
//! are removed. Without a subscriber at that level, a request costs one comparison and no clock
//! reading, unless requests are counted (`http_metrics.rs`).

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use tracing::{Level, debug, enabled};

use crate::api::request::RequestHead;
use crate::api::response::Response;

const TARGET: &str = "galley::request";

/// The segments before the tokens in links that are mailed to staff. They are below the `path_prefix` of the site, which is not
/// known here, so the ends of some other paths are not logged either.
const BEFORE_TOKENS: [&str; 2] = ["/reset/", "/signup/"];

/// Returns whether the request log is enabled.
pub(super) fn is_wanted() -> bool {
    enabled!(target: TARGET, Level::DEBUG)
}

/// Measures the duration of a request, if it is needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Reads the clock if the time is needed, for the log or because requests are counted.
    pub(super) fn start(is_counted: bool) -> Self {
        let is_wanted = is_counted || is_wanted();
        Stopwatch(is_wanted.then(Instant::now))
    }

    /// Returns the time since the start; zero if it was not measured.
    pub(super) fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }

    /// Writes the log line. `bytes` is the length of the body; `microseconds` is the time until the
    /// response was ready to be sent.
    pub(super) fn log(self, head: &RequestHead, response: &Response) {
        if let Some(start) = self.0 {
            debug!(
                target: TARGET,
                method = %head.method,
                path = &*without_token(head.target.path()),
                status = response.status.as_u16(),
                bytes = response.body.length(),
                microseconds = start.elapsed().as_micros() as u64,
                peer = %head.peer,
            );
        }
    }
}

fn without_token(path: &str) -> Cow<'_, str> {
    let end = |before: &&str| path.find(*before).map(|start| start + before.len());
    match BEFORE_TOKENS.iter().find_map(end) {
        Some(end) if end < path.len() => format!("{}…", &path[..end]).into(),
        _ => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_links_in_mails_are_not_logged() {
        for (path, logged) in [
            ("/ghost/reset/MTY4/", "/ghost/reset/…"),
            ("/blog/ghost/signup/YWRh", "/blog/ghost/signup/…"),
            ("/cms/reset/MTY4/", "/cms/reset/…"),
            ("/ghost/reset/", "/ghost/reset/"),
            ("/ghost/api/admin/posts/", "/ghost/api/admin/posts/"),
        ] {
            assert_eq!(without_token(path), logged);
        }
    }
}
