//! Galley's one integration binary: what each part promises, and the whole service over real sockets.
//!
//! Golden files are written anew by `GALLEY_UPDATE_GOLDEN=1 cargo test`; read the diff.

mod admin_api;
mod admin_token;
mod announcements;
#[path = "../seeding/answers.rs"]
mod answers;
mod app;
mod architecture;
mod backup;
mod bad_input;
mod chance;
mod change_feed;
mod command_line;
mod content_api;
mod delivery;
mod events_through_crashes;
mod export;
mod front_page;
mod galley_process;
mod http_client;
mod import;
mod import_circles;
mod lost_updates;
mod metrics;
mod mime;
mod multipart;
mod newsletters;
mod nql;
mod old_addresses;
mod open_files;
mod packaging;
mod people;
mod permissions;
mod phrases;
mod posts_writing;
mod public_files;
mod render;
mod scheduler;
mod security;
mod server;
mod sign_in;
mod site;
mod smtp_receiver;
mod sources;
#[allow(dead_code, reason = "the recordings use the rest")]
mod staffed_site;
mod stand_in_author;
mod store;
mod svg_files;
mod themes;
mod troubled_disk;
mod unsubscribe;
mod upgrade;
mod uploads;
mod webhook_receiver;
mod webhooks;
mod words;
