//! Posts and pages: two kinds of one resource, which differ little.

mod browse;
pub mod bulk;
pub mod export;
pub mod input;
mod invalidation;
mod read;
mod references;
mod response;
pub mod write;

pub use browse::{browse_pages, browse_posts};
pub use read::{read_page_by_id, read_page_by_slug, read_post_by_id, read_post_by_slug};
pub use response::{PostResource, post_response};
