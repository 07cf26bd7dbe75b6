//! The HTTP API for clients: plain functions from a complete request to a response.
//!
//! This module neither uses hyper nor waits. [`Handler`](handler::Handler) is the entry point for
//! requests: the thread that read a request returns a cached response, or builds one within the inline
//! budget, or parses the request (`prepared`) for a worker. `pipeline` defines the order of the checks
//! for both: endpoint, key, trailing slash, form of the parameters, filter, record (Ghost 6.65,
//! recorded).

pub mod admin;
mod admin_app;
mod assets;
mod auth_frame;
mod cached_document;
mod call;
mod change_feed;
mod client_address;
mod compressed_files;
mod compression_permits;
pub mod content;
mod content_encoding;
mod content_response;
mod cors;
mod entity_tag;
pub mod error;
pub mod feeds;
mod file_content;
pub mod files;
pub mod front_end;
mod front_page;
pub mod handler;
pub mod headers;
pub mod health;
mod html_page;
mod ignored_fields;
mod image_sizes;
mod installed_files;
mod json;
mod keys;
pub mod listing;
mod live_options;
mod members;
mod message_page;
pub mod multipart;
pub mod openapi;
mod options;
pub mod origins;
mod outdated_clients;
mod path;
mod pipeline;
mod prepared;
mod preview_nonce;
mod previews;
pub mod public_paths;
mod reader_scripts;
mod recent_cache;
mod redirects;
pub mod request;
mod request_decoding;
pub mod response;
pub mod response_cache;
mod router;
mod routes;
pub mod sendfile_copy;
mod setup_page;
mod site_api;
mod site_proof;
mod site_routes;
mod snapshot_cache;
pub mod static_pages;
pub mod static_renderer;
mod theme;
mod unsubscribe;
mod values;
mod versions;
pub mod visitor;
pub mod webhook_payloads;

pub use crate::catalog::params;

pub use self::{live_options::LiveOptions, options::Options, routes::permissions, site_api::Api};

use self::snapshot_cache::SnapshotCache;
