//! The errors of requests to a bucket.

/// A request to a bucket failed.
#[derive(Debug, thiserror::Error)]
#[error("{location}: {message}")]
pub struct BucketError {
    /// The bucket and the prefix.
    pub location: String,
    /// The reason, as given by the service.
    pub message: String,
    /// The kind of the error.
    pub kind: BucketErrorKind,
}

/// The kind of an error of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketErrorKind {
    /// The object does not exist.
    Missing,
    /// The service does not respond, or is temporarily unavailable.
    Unavailable,
    /// The service refuses the request, or violates its protocol.
    Refused,
    /// An object differs from the stored one.
    Damaged,
    /// The caller cancelled the request.
    Cancelled,
}
