//! What the tests share.
//!
//! [`TestSite`] serves a site in the process of the test, over a real socket. `CONTRIBUTING.md`, "Your first test", begins
//! with it.

pub mod admin_token;
pub mod bucket_server;
pub mod clocked_site;
pub mod command_line;
pub mod content_responses;
pub mod deliverer;
pub mod edge_server;
pub mod faulty_disk;
pub mod folder;
pub mod galley_process;
pub mod http_client;
pub mod killing;
pub mod mime;
pub mod multipart;
pub mod random;
pub mod request;
pub mod scripts;
pub mod seeded_site;
pub mod shared_store;
pub mod sign_in;
pub mod site_builder;
pub mod site_records;
pub mod smtp_receiver;
pub mod staff;
pub mod store_rules;
pub mod test_database;
pub mod test_site;
pub mod tls_client;
pub mod wait;
pub mod webhook_receiver;

pub use request::{Request, Who, owner};
pub use test_site::TestSite;
pub use wait::{wait_for, wait_until};
