//! Replaces and removes themes of a site whose uploads are in a bucket, both in the bucket and in
//! the local folder.

use std::{
    io,
    sync::{MutexGuard, PoisonError},
};

use super::{ReplacedTheme, Theme, Themes, bucket_change::BucketChange};
use crate::{
    atomic_file,
    error::{Error, Result},
    uploads::{BucketUploads, KnownThemes, Uploads, is_damaged},
};

impl Themes {
    /// Removes the theme `name`.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub fn remove(&self, name: &str) -> Result<ReplacedTheme> {
        let remove = || self.remove_local(name);
        match self.uploads.bucket() {
            Some(bucket) => self.remove_from_bucket(bucket, name, remove),
            None => remove(),
        }
    }

    /// Puts the theme `name` into the bucket, and changes the local folder with `change`.
    pub(super) fn put_in_bucket(
        &self,
        bucket: &BucketUploads,
        theme: &Theme,
        change: impl FnOnce() -> Result<ReplacedTheme>,
    ) -> Result<ReplacedTheme> {
        self.change(bucket, &theme.name, change, |object| {
            // A file without a name, which the system removes if the process is killed.
            let mut archive = atomic_file::unnamed(self.uploads.folder())?;
            theme.write_archive(&mut archive)?;
            bucket.put_file(&archive, object).map(drop)
        })
    }

    /// Removes the theme `name` from the bucket, and changes the local folder with `change`.
    pub(super) fn remove_from_bucket(
        &self,
        bucket: &BucketUploads,
        name: &str,
        change: impl FnOnce() -> Result<ReplacedTheme>,
    ) -> Result<ReplacedTheme> {
        self.change(bucket, name, change, |object| bucket.delete(object))
    }

    fn change(
        &self,
        bucket: &BucketUploads,
        name: &str,
        change: impl FnOnce() -> Result<ReplacedTheme>,
        change_bucket: impl FnOnce(&str) -> io::Result<()>,
    ) -> Result<ReplacedTheme> {
        // Held until the local folder has changed, too: a scan in between would find a difference
        // and extract the archive again.
        let mut known = locked(bucket);
        let object = Uploads::theme_object(name);
        let previous = match bucket.get_file(self.uploads.folder(), &object) {
            // The archive is damaged. Replacing it repairs it.
            Err(error) if is_damaged(&error) => None,
            previous => previous.map_err(Error::internal)?,
        };
        // Created before the bucket changes, so that its destructor undoes a change of unknown
        // outcome.
        let changed = BucketChange {
            previous,
            uploads: self.uploads.clone(),
            object,
            is_complete: false,
        };
        change_bucket(&changed.object).map_err(Error::internal)?;
        // The next scan then compares the theme with the one in the bucket.
        known.etags.remove(name);
        // If the local change fails, `changed` is dropped and restores the previous archive.
        Ok(change()?.with_bucket(changed))
    }
}

/// Locks the known themes. They contain only names and tags, so they are valid even after a panic.
pub(super) fn locked(bucket: &BucketUploads) -> MutexGuard<'_, KnownThemes> {
    let known = bucket.themes().lock();
    known.unwrap_or_else(PoisonError::into_inner)
}
