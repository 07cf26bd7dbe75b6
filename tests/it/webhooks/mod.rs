//! What webhooks are told: by HTTP, in order, again when it fails, and seen in a log.

mod delivering;
mod stage;

pub use stage::webhook_options;
