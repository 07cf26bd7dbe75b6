//! The storage of uploaded files.

use std::{io, path::Path};

use super::names::FileName;
use crate::{
    atomic_file::AtomicFile,
    error::{Error, Result},
    uploads::Uploads,
};

/// Maximum number of names tried in a bucket. The names are unique, so a bucket that reports all of
/// them as taken reports any name as taken.
const BUCKET_ATTEMPTS_MAX: usize = 3;

/// The folders that files are served from.
#[derive(Debug, Clone, Copy)]
pub struct Folders<'a> {
    /// The storage of uploads.
    pub uploads: &'a Uploads,
    /// The content folder, whose files are served before uploads.
    pub content: Option<&'a Path>,
}

/// A file that is stored together with another file.
pub struct Companion<'a> {
    /// Its content.
    pub file: &'a AtomicFile,
    /// Returns the name of the companion for the name of the other file.
    pub name: &'a dyn Fn(&FileName) -> String,
}

impl Folders<'_> {
    /// Stores a file and its companion in `folder`, and returns the name of the file. Both are
    /// durable on return.
    ///
    /// # Errors
    ///
    /// If a folder cannot be written. In that case neither file is stored.
    pub fn store(
        self,
        folder: &str,
        name: &FileName,
        file: &AtomicFile,
        companion: Option<Companion>,
    ) -> Result<FileName> {
        // Two processes may choose the same name in a bucket at the same time, so names in buckets
        // are made unique.
        let unique = self.uploads.bucket().map(|_| name.unique());
        let attempts_max = unique.as_ref().map_or(usize::MAX, |_| BUCKET_ATTEMPTS_MAX);
        let attempts = unique.as_ref().unwrap_or(name).attempts();
        for attempt in attempts.take(attempts_max) {
            let name = attempt.with("");
            let companion = companion
                .as_ref()
                .map(|companion| (companion.file, (companion.name)(&attempt)));
            let is_companion_taken = || match &companion {
                Some((_, name)) => self.is_taken(folder, name),
                None => Ok(false),
            };
            if self.is_taken(folder, &name)? || is_companion_taken()? {
                continue;
            }
            let path = format!("{folder}/{name}");
            // The name may have been taken since it was checked. `put_new` never replaces a file,
            // so the next name is tried then.
            let is_stored = self.uploads.put_new(file, &path);
            if !is_stored.map_err(Error::internal)? {
                continue;
            }
            let Some((companion, companion_name)) = companion else {
                // Returns when the record of an upload to a bucket is committed; without it, the
                // upload could not be verified.
                self.uploads.settle().map_err(Error::internal)?;
                return Ok(attempt);
            };
            let companion_path = format!("{folder}/{companion_name}");
            match self.uploads.put_new(companion, &companion_path) {
                Ok(true) => {
                    self.uploads.settle().map_err(Error::internal)?;
                    return Ok(attempt);
                }
                // Another upload has taken the name of the companion in the meantime, so the next
                // name is tried for both.
                Ok(false) => self.uploads.remove(&path).map_err(Error::internal)?,
                Err(error) => {
                    // Only the first error is reported.
                    let _ = self.uploads.remove(&path);
                    return Err(Error::internal(error));
                }
            }
        }
        Err(Error::internal(io::Error::from(
            io::ErrorKind::AlreadyExists,
        )))
    }

    /// Returns whether a file is already served under this name.
    fn is_taken(self, folder: &str, name: &str) -> Result<bool> {
        let path = format!("{folder}/{name}");
        // A symbolic link without a target also occupies its name.
        let exists = |root: &Path| root.join(&path).symlink_metadata().is_ok();
        Ok(self.content.is_some_and(exists) || self.uploads.has(&path).map_err(Error::internal)?)
    }
}
