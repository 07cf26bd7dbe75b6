//! Requests of which two programs may make two different ones.
//!
//! hyper refuses most of them: two lengths, lengths that are no numbers, folded lines, spaces before colons. What it lets pass
//! is refused here, so that nobody hides a request behind another from a proxy before this server (RFC 9112, sections 3.2 and
//! 6.1).

use http::HeaderMap;
use http::header::{HOST, TRANSFER_ENCODING};

/// Whether it is not certain for which host the request is, or where its body ends.
pub(super) fn is_ambiguous(headers: &HeaderMap) -> bool {
    [HOST, TRANSFER_ENCODING]
        .iter()
        .any(|name| headers.get_all(name).iter().nth(1).is_some())
}
