//! The records that uploads in a bucket are verified with.

use std::io;

use crate::uploads::verification::UploadRecord;

/// The recorded lengths and hashes of the uploads in a bucket.
pub trait UploadRecords: Send + Sync {
    /// Returns the record of the upload `name`, if there is one.
    ///
    /// # Errors
    ///
    /// If the record cannot be read.
    fn get(&self, name: &str) -> io::Result<Option<UploadRecord>>;

    /// Replaces the record of the upload `name`; `None` if the upload was deleted. The record
    /// becomes durable after some time, at the latest when [`settle`](Self::settle) returns.
    fn put(&self, name: &str, record: Option<UploadRecord>);

    /// Waits until all records are durable. Must not be called in a transaction.
    ///
    /// # Errors
    ///
    /// If the records cannot be written.
    fn settle(&self) -> io::Result<()>;
}
