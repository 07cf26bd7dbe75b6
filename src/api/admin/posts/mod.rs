//! Posts and pages: two kinds of one resource with few differences.

mod browse;
pub mod bulk;
pub mod export;
pub mod input;
mod invalidation;
mod read;
mod references;
mod response;
pub mod write;

pub use browse::browse;
pub use read::{read_by_id, read_by_slug};
pub use response::{PostResource, post_response};
