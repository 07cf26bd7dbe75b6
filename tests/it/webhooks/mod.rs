//! Tests of webhook delivery: by HTTP, in order, with retries and a log.

mod addresses;
mod command_line;
mod delivering;
mod failing;
mod log;
mod many;
mod shared_events;
mod webhook_site;

pub use webhook_site::WebhookSite;
