//! The Content API: read-only, with a public key, as an anonymous reader sees the site (specification
//! 4.1), or as a member does who reads posts and pages.

pub mod bodies;
pub mod change_stream;
pub mod changes;
pub mod newsletters;
pub mod offers;
pub mod posts;
pub mod recommendations;
mod request;
pub mod response_memory;
pub mod search;
pub mod search_index;
pub mod served_body;
pub mod settings;
pub mod tags_and_authors;
pub mod tiers;
pub(super) mod view;

pub use self::request::{Budget, ContentHandler, EndpointBody, EndpointError, Request};
