//! Buckets of S3 or a compatible service, for backups and uploads.
//!
//! Requests are signed in their URLs. A large file is sent in parts, which become an object only at
//! the end, so a part of a file is never mistaken for the file. Requests that may succeed later are
//! retried after increasing pauses. *A bucket is not trusted: regardless of its responses, every
//! request ends, every list is bounded, and [`Bucket::interruption`] ends all requests.*

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
