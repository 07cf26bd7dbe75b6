//! Code that the tests share. `CONTRIBUTING.md`, "Your first test", begins with [`TestSite`].
//!
//! | | |
//! |---|---|
//! | [`test_site`], [`site_builder`], [`staff`] | a site that is served in the process of the test or in another one, and its users |
//! | [`clocked_site`], [`deliverer`], [`sign_in`] | a site without a server whose clock the test sets, with its deliveries and sign-ins |
//! | [`folder`], [`reconciled_site`], [`content_responses`] | a content folder, a site that is reconciled with it on request, and all responses of that site |
//! | [`command_line`], [`galley_process`], [`killing`], [`scripts`] | processes of the program and of other programs |
//! | [`request`], [`http_client`], [`tls_client`], [`admin_token`], [`multipart`] | requests |
//! | [`smtp_receiver`], [`mime`], [`webhook_receiver`], [`bucket_server`], [`other_site`], [`dns_server`] | the servers that a site sends to or fetches from |
//! | [`edge_server`], [`api_reader`] | the HTTP edge alone, and the API without it |
//! | [`store_rules`], [`shared_store`], [`test_database`], [`faulty_disk`], [`site_records`] | stores: their rules, their locations, and their records |
//! | [`wait`], [`random`] | waiting for a condition, and reproducible random numbers |

pub mod admin_token;
pub mod api_reader;
pub mod bucket_server;
pub mod clocked_site;
pub mod command_line;
pub mod content_responses;
pub mod deliverer;
pub mod dns_server;
pub mod edge_server;
pub mod faulty_disk;
pub mod folder;
pub mod galley_process;
pub mod http_client;
pub mod killing;
pub mod mime;
pub mod multipart;
pub mod other_site;
pub mod random;
pub mod reconciled_site;
pub mod request;
pub mod scripts;
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
