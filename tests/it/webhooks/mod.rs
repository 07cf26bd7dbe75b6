//! Tests of webhook delivery over HTTP: order, retries and the log.

mod command_line;
mod delivering;
mod failing;
mod log;
mod many;
mod shared_events;
mod urls;
mod webhook_site;

pub use webhook_site::WebhookSite;
