//! Tests of webhook delivery: by HTTP, in order, with retries and a log.

mod addresses;
mod command_line;
mod delivering;
mod failing;
mod log;
mod many;
mod shared_events;
mod stage;

pub use stage::{Stage, webhook_options};
