//! The errors of requests to a bucket.

/// A request to a bucket failed.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {message}")]
pub struct BucketError {
    /// The bucket and the prefix.
    pub location: String,
    /// The reason, as the service says it.
    pub message: String,
    /// The consequence.
    pub kind: BucketErrorKind,
}

/// The kind of an error of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketErrorKind {
    /// The object does not exist.
    Missing,
    /// The service does not respond, or not now.
    Away,
    /// The service refuses, or violates its protocol.
    Refused,
    /// An object differs from the stored one.
    Damaged,
    /// The caller cancelled it.
    Cancelled,
}
