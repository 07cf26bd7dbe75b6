//! The Content API: read-only access with a public key. Responses show the site as anonymous readers see
//! it (specification 4.1), or posts and pages as a member sees them.

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
