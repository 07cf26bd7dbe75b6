//! What webhooks are told: by HTTP, in order, again when it fails, and seen in a log.

mod addresses;
mod delivering;
mod failing;
mod log;
mod many;
mod stage;

pub use stage::webhook_options;
