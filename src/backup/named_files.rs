//! Whole backups in a folder with names chosen by people or scripts, such as `2026-11-27.zip`.

use std::{ffi::OsStr, fs, io, path::Path};

use jiff::Timestamp;

use super::{Backup, BackupError, Destination, StoredBackup};
use crate::backup::error::read_error;

/// Returns these backups with the times at which they were written. Other archives are ignored. A damaged backup gets
/// the time of its file, so that a restore reports it instead of silently using an older one.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn named_files(folder: &Path) -> Result<Vec<StoredBackup>, BackupError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(read_error(folder))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(read_error(folder))?.path();
        let Some(name) = path.file_name().and_then(OsStr::to_str) else {
            continue;
        };
        let is_archive = name.to_lowercase().ends_with(".zip") && !name.starts_with('.');
        if !is_archive || Destination::is_name(name) || !path.is_file() {
            continue;
        }
        let metadata = fs::metadata(&path).map_err(read_error(&path))?;
        let created_at = match Backup::open(&path) {
            Ok(backup) => backup.created_at(),
            Err(BackupError::NotABackup { .. }) => continue,
            Err(error @ BackupError::Read { .. }) => return Err(error),
            Err(_) => {
                let modified = metadata.modified().map_err(read_error(&path))?;
                Timestamp::try_from(modified).unwrap_or(Timestamp::MIN)
            }
        };
        found.push(StoredBackup {
            name: name.to_owned(),
            created_at,
            bytes: metadata.len(),
        });
    }
    Ok(found)
}
