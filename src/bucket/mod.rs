//! Buckets of S3 or a compatible service, for backups and uploads.
//!
//! Requests are signed in their URLs. A large file is sent in parts, which become an object at the
//! end, so no part of a file ever counts as the file. Requests that may succeed later are
//! repeated after growing pauses. *A bucket is not trusted: whatever it responds, a request ends, a
//! list is bounded, and [`Bucket::interruption`] ends all of them.*

mod client;
mod error;
mod listing;
mod options;
mod putting;
mod requests;

pub use self::client::{Bucket, StoredObject};
pub use self::error::{BucketError, BucketErrorKind};
pub use self::options::BucketOptions;

pub use putting::part_bytes;
pub use requests::is_page;
