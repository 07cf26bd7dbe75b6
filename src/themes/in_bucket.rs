//! Themes of a site whose uploads are in a bucket: each is an archive there, and a folder here.
//!
//! A theme is replaced under its name, unlike other uploads. So the archives are listed again when
//! some seconds have passed since the last time, and those that have changed are unpacked again. A
//! theme that is named and not here is looked for sooner.

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

/// Largest age of the list of the themes.
const SCAN_INTERVAL: Duration = Duration::from_secs(5);

/// The same when a theme is not here, or all are shown.
const SCAN_INTERVAL_MIN: Duration = Duration::from_secs(1);

impl Themes {
    /// Makes the themes here those of the bucket, if there is one and that was not done a moment
    /// ago. While it is away, they stay as they are.
    pub(super) fn follow(&self) {
        let Some(bucket) = self.uploads.bucket() else {
            return;
        };
        match bucket.themes().try_lock() {
            Ok(known) => self.scan(bucket, known, SCAN_INTERVAL),
            Err(TryLockError::Poisoned(known)) => {
                self.scan(bucket, known.into_inner(), SCAN_INTERVAL)
            }
            // Another request does it.
            Err(TryLockError::WouldBlock) => {}
        }
    }

    /// Does the same sooner, and waits for others that do it.
    pub(super) fn follow_now(&self) {
        if let Some(bucket) = self.uploads.bucket() {
            self.scan(bucket, locked(bucket), SCAN_INTERVAL_MIN);
        }
    }

    fn scan(&self, bucket: &BucketUploads, mut known: MutexGuard<KnownThemes>, after: Duration) {
        if known.scanned_at.is_some_and(|time| time.elapsed() < after) {
            return;
        }
        let scanned = self.take_over(bucket, &mut known);
        known.scanned_at = Some(Instant::now());
        if let Err(error) = scanned {
            tracing::warn!(error = ?error, "the themes in the bucket cannot be read");
        }
    }

    fn take_over(&self, bucket: &BucketUploads, known: &mut KnownThemes) -> Result<()> {
        let mut present = HashSet::new();
        for object in bucket.list_soon("themes/").map_err(Error::internal)? {
            let name = object.name.strip_prefix("themes/");
            let Some(name) = name.and_then(|name| name.strip_suffix(".zip")) else {
                continue;
            };
            if !is_name(name) || is_reserved(name) {
                continue;
            }
            present.insert(name.to_owned());
            let is_same = known.etags.get(name) == Some(&object.etag);
            if is_same && self.folder.join(name).is_dir() {
                continue;
            }
            let archive = match bucket.get_file(self.uploads.folder(), &object.name) {
                // The local themes stay, and so do the other themes.
                Err(error) if is_damaged(&error) => continue,
                archive => archive.map_err(Error::internal)?,
            };
            let Some(archive) = archive else {
                continue;
            };
            let incoming = IncomingTheme::from_archive(self, archive)?;
            self.put(incoming.folder(), name)?.keep();
            known.etags.insert(name.to_owned(), object.etag);
        }
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(Error::internal)?,
        };
        for entry in entries {
            let name = entry.map_err(Error::internal)?.file_name();
            let name = name.to_string_lossy();
            if is_name(&name) && !present.contains(&*name) {
                self.take_away_here(&name)?.keep();
                known.etags.remove(&*name);
            }
        }
        Ok(())
    }
}
