//! The two protocols, with the limits that hyper enforces.

use hyper_util::{rt::TokioExecutor, server::conn::auto};

use crate::server::limits::Limits;

/// Maximum number of bytes of one HTTP/2 request body that the client may send before they are read.
const HTTP2_STREAM_WINDOW_BYTES: u32 = 256 * 1024;

/// Maximum number of such bytes of all request bodies on one connection.
const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 512 * 1024;

/// Maximum number of bytes of one HTTP/2 response that are read from a file before the client has
/// received them.
const HTTP2_SEND_BYTES: usize = 64 * 1024;

/// Maximum number of resets that an HTTP/2 client may provoke by protocol errors before its
/// connection is closed.
const HTTP2_ERRORS_MAX: usize = 100;

/// Returns the two protocols with the limits that hyper enforces.
///
/// Hyper's timeouts stay off, because they would set up and remove a timer for each request.
pub(super) fn protocols(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut protocols = auto::Builder::new(TokioExecutor::new());
    protocols.http1().max_buf_size(limits.head_bytes_max());
    protocols
        .http2()
        .max_header_list_size(u32::try_from(limits.head_bytes_max()).unwrap_or(u32::MAX))
        .max_concurrent_streams(limits.http2_streams_max)
        // Protects against rapid resets (CVE-2023-44487).
        .max_pending_accept_reset_streams(limits.http2_resets_max)
        .max_local_error_reset_streams(HTTP2_ERRORS_MAX)
        .initial_stream_window_size(HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(HTTP2_CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(HTTP2_SEND_BYTES);
    protocols
}
