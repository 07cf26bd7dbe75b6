//! What webhooks are told: by HTTP, in order, again when it fails, and seen in a log.

mod addresses;
mod command_line;
mod delivering;
mod failing;
mod log;
mod many;
mod shared_events;
mod stage;

pub use stage::{Stage, webhook_options};
