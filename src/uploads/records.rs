//! The records by which uploads in a bucket are verified.

use std::io;

use crate::uploads::verification::UploadRecord;

/// The known state of the uploads in a bucket, recorded elsewhere.
pub trait UploadRecords: Send + Sync {
    /// Returns the record of the upload `name`, if there is one.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn get(&self, name: &str) -> io::Result<Option<UploadRecord>>;

    /// Replaces the record of the upload `name`; `None` if the upload was deleted. It is
    /// durable some time later, but after a following [`settle`](Self::settle) in any case.
    fn put(&self, name: &str, record: Option<UploadRecord>);

    /// Waits until all records are durable. A transaction must not wait for that.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn settle(&self) -> io::Result<()>;
}
