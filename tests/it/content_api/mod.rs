//! The Content API over real sockets.

mod fixture;
mod reading;
