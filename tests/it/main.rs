//! Galley's one integration binary: what each part promises, and the whole service over real sockets.
//!
//! Golden files are written anew by `GALLEY_UPDATE_GOLDEN=1 cargo test`; read the diff.

mod admin_token;
#[path = "../seeding/answers.rs"]
mod answers;
mod app;
mod architecture;
mod command_line;
mod content_api;
mod delivery;
mod export;
mod http_client;
mod import;
mod mime;
mod multipart;
mod nql;
mod public_files;
mod render;
mod server;
mod smtp_receiver;
mod sources;
mod staffed_site;
mod store;
mod webhook_receiver;
