//! Tests of the HTTP edge over real sockets.

mod connections;
mod fast_path;
mod files;
mod http1;
mod http2;
mod limits;
mod log;
mod panics;
mod stop;
mod streaming;
mod timeouts;
mod tls;
mod unread_responses;
