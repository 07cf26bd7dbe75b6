//! A change of a theme's archive in the bucket.

use std::fs::File;

use crate::uploads::Uploads;

/// A change of an archive in the bucket, undone on drop unless [`keep`](Self::keep) is called.
pub(super) struct BucketChange {
    pub uploads: Uploads,
    /// The name of the archive.
    pub object: String,
    /// The previous archive, if there was one.
    pub previous: Option<File>,
    pub is_complete: bool,
}

impl BucketChange {
    pub(super) fn keep(mut self) {
        self.is_complete = true;
    }
}

impl Drop for BucketChange {
    fn drop(&mut self) {
        // Also after an upload that failed: its outcome is unknown, and storing the previous
        // archive again is correct in both cases.
        let Some(bucket) = self.uploads.bucket().filter(|_| !self.is_complete) else {
            return;
        };
        let undone = match &self.previous {
            Some(previous) => bucket.put_file(previous, &self.object).map(drop),
            None => bucket.delete(&self.object),
        };
        if let Err(error) = undone {
            let object = &self.object;
            // A destructor cannot return the error, and the bucket now has a different theme than
            // this machine.
            tracing::error!(%error, object, "a theme in the bucket cannot be restored");
        }
    }
}
