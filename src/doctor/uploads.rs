//! Checks the folder or the bucket of uploads.

use std::{fs, path::Path};

use rustix::fs::{Access, access};

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::uploads::BucketUploads;

/// Checks that uploads can be stored. Nothing is written.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let config = &examined.config;
    vec![match (&config.uploads_bucket, &config.uploads_folder) {
        (Some(bucket), _) => in_bucket(bucket),
        (None, Some(folder)) => in_folder(folder),
        (None, None) => UnnamedFinding::ok("in the data folder"),
    }]
}

fn in_folder(folder: &Path) -> UnnamedFinding {
    let shown = folder.display();
    if let Err(error) = fs::read_dir(folder) {
        return UnnamedFinding::error(
            format!("cannot read {shown}: {error}"),
            "Mount the disk, or correct uploads.folder. Galley never creates this folder, because it may be a disk that is not mounted.",
        );
    }
    if let Err(error) = access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        return UnnamedFinding::error(
            format!("this user cannot write to {shown}: {error}"),
            "Run this as the user that Galley runs as, and give that user the folder. A disk with errors becomes read-only: see `dmesg`.",
        );
    }
    UnnamedFinding::ok(shown.to_string())
}

fn in_bucket(bucket: &BucketUploads) -> UnnamedFinding {
    if let Err(error) = bucket.check_key() {
        return UnnamedFinding::skipped(error.to_string());
    }
    match bucket.reach() {
        Ok(()) => UnnamedFinding::ok("the bucket responds"),
        Err(error) => UnnamedFinding::error(
            error.to_string(),
            "Check uploads.bucket, uploads.endpoint and the keys. Until then, readers get the copies of this machine only.",
        ),
    }
}
