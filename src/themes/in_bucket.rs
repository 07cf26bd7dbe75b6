//! Themes of a site whose uploads are in a bucket: each is an archive in the bucket and a local
//! folder.
//!
//! Unlike other uploads, a theme is replaced under the same name. Therefore the archives are listed
//! again once the list is some seconds old, and those that have changed are extracted again. If a
//! requested theme is not present locally, the list is refreshed sooner.

use std::{
    collections::HashSet,
    fs, io,
    sync::{MutexGuard, TryLockError},
    time::{Duration, Instant},
};

use super::{IncomingTheme, Themes, is_name, is_reserved, replacement_in_bucket::locked};
use crate::{
    error::{Error, Result},
    uploads::{BucketUploads, KnownThemes, is_damaged},
};

/// Maximum age of the list of themes.
const SCAN_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum age of the list if a theme is not present locally, or all themes are requested.
const SCAN_INTERVAL_MIN: Duration = Duration::from_secs(1);

impl Themes {
    /// Synchronises the local themes with the bucket, if there is one and the list is older than
    /// [`SCAN_INTERVAL`]. While the bucket is unavailable, the local themes are unchanged.
    pub(super) fn follow(&self) {
        let Some(bucket) = self.uploads.bucket() else {
            return;
        };
        // `try_lock`, because requests call this: only one request waits for the bucket, the
        // others use the local themes.
        match bucket.themes().try_lock() {
            Ok(known) => self.scan(bucket, known, SCAN_INTERVAL),
            Err(TryLockError::Poisoned(known)) => {
                self.scan(bucket, known.into_inner(), SCAN_INTERVAL)
            }
            // Another request is synchronising the themes.
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Synchronises the local themes if the list is older than [`SCAN_INTERVAL_MIN`], and waits for
    /// other requests that do so.
    pub(super) fn follow_now(&self) {
        if let Some(bucket) = self.uploads.bucket() {
            self.scan(bucket, locked(bucket), SCAN_INTERVAL_MIN);
        }
    }

    fn scan(&self, bucket: &BucketUploads, mut known: MutexGuard<KnownThemes>, after: Duration) {
        // Checked under the lock: another request may have listed the themes while this one waited.
        if known.scanned_at.is_some_and(|time| time.elapsed() < after) {
            return;
        }
        let scanned = self.synchronise(bucket, &mut known);
        // Also after a failure, so that not every request waits for an unavailable bucket.
        known.scanned_at = Some(Instant::now());
        if let Err(error) = scanned {
            tracing::warn!(error = ?error, "the themes in the bucket cannot be read");
        }
    }

    fn synchronise(&self, bucket: &BucketUploads, known: &mut KnownThemes) -> Result<()> {
        let mut present = HashSet::new();
        for object in bucket.list_soon("themes/").map_err(Error::internal)? {
            let name = object.name.strip_prefix("themes/");
            let Some(name) = name.and_then(|name| name.strip_suffix(".zip")) else {
                continue;
            };
            if !is_name(name) || is_reserved(name) {
                continue;
            }
            // Before the archive is read: a local theme is not removed because its archive is
            // damaged.
            present.insert(name.to_owned());
            let is_same = known.etags.get(name) == Some(&object.etag);
            // The tags are in memory, and the folder may have been removed since.
            if is_same && self.folder.join(name).is_dir() {
                continue;
            }
            let archive = match bucket.get_file(self.uploads.folder(), &object.name) {
                // The archive is damaged: keep the local copy, and continue with the other themes.
                Err(error) if is_damaged(&error) => continue,
                archive => archive.map_err(Error::internal)?,
            };
            // Deleted since the list was read; the next scan removes the local folder.
            let Some(archive) = archive else {
                continue;
            };
            let incoming = IncomingTheme::from_archive(self, archive)?;
            self.put(incoming.folder(), name)?.keep();
            // Last, so that a theme that could not be extracted is tried again.
            known.etags.insert(name.to_owned(), object.etag);
        }
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(Error::internal)?,
        };
        // Themes that are no longer in the bucket were removed by another process.
        for entry in entries {
            let name = entry.map_err(Error::internal)?.file_name();
            let name = name.to_string_lossy();
            if is_name(&name) && !present.contains(&*name) {
                self.remove_local(&name)?.keep();
                known.etags.remove(&*name);
            }
        }
        Ok(())
    }
}
