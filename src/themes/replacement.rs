//! Installs and removes themes. After a crash at any moment, either the old or the new theme is at
//! its path.
//!
//! A theme and its replacement are swapped in one step. If the file system does not support that,
//! the old theme is first moved aside, under a name that identifies it.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{Themes, bucket_change::BucketChange};
use crate::{
    atomic_file::{replace_folder, swap_folders},
    error::{Error, Result},
    uploads::{Uploads, unique_name},
};

/// The prefix of folders that are not yet, or no longer, a theme.
const WAITING: &str = ".incoming-";

/// The prefix of the folder of a theme that was moved aside.
const ASIDE: &str = ".replaced-";

pub(super) const FOLDER_MODE: u32 = 0o755;

/// Time for which a theme that was moved aside in a shared folder is left alone, as the process
/// that moved it aside immediately moves another theme to its path.
const ASIDE_FOR: Duration = Duration::from_secs(60);

/// A theme that was installed or removed. The change is undone on drop unless [`keep`](Self::keep)
/// is called.
#[must_use]
pub struct ReplacedTheme {
    path: PathBuf,
    /// The folder of the previous theme, if there was one.
    before: Option<PathBuf>,
    /// The corresponding change in the bucket, if there is a bucket.
    in_bucket: Option<BucketChange>,
    is_complete: bool,
}

impl ReplacedTheme {
    /// Adds the corresponding change in the bucket.
    pub(super) fn with_bucket(mut self, change: BucketChange) -> Self {
        self.in_bucket = Some(change);
        self
    }

    /// Makes the change permanent.
    pub fn keep(mut self) {
        self.is_complete = true;
        // Before the previous folder is removed, after which the change cannot be undone.
        if let Some(change) = self.in_bucket.take() {
            change.keep();
        }
        if let Some(before) = &self.before {
            // If the folder cannot be removed now, it is removed at the next start.
            let _ = fs::remove_dir_all(before);
        }
    }
}

impl Drop for ReplacedTheme {
    /// Restores the previous theme. Folders that cannot be removed are harmless.
    fn drop(&mut self) {
        if self.is_complete {
            return;
        }
        // Restored in the reverse order of the installation: swapped back if the file system can,
        // else moved aside and renamed.
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let unwanted = waiting(folder);
        let _ = match &self.before {
            Some(before) if swap_folders(before, &self.path).is_ok() => fs::remove_dir_all(before),
            Some(before) => {
                let _ = fs::rename(&self.path, &unwanted);
                fs::rename(before, &self.path)
            }
            // A rename is atomic, so that no request finds half of a folder that is being removed.
            None => fs::rename(&self.path, &unwanted),
        };
        let _ = fs::remove_dir_all(unwanted);
    }
}

impl Themes {
    /// Creates a temporary folder for preparing a theme.
    pub(super) fn create_incoming_folder(&self) -> Result<PathBuf> {
        let mut builder = DirBuilder::new();
        let builder = builder.mode(FOLDER_MODE);
        builder
            .recursive(true)
            .create(&self.folder)
            .map_err(Error::internal)?;
        let waiting = waiting(&self.folder);
        builder
            .recursive(false)
            .create(&waiting)
            .map_err(Error::internal)?;
        Ok(waiting)
    }

    /// Moves the theme in the temporary folder `ready` to the path of the theme `name`.
    pub(super) fn put(&self, ready: &Path, name: &str) -> Result<ReplacedTheme> {
        let path = self.folder.join(name);
        let aside = self.folder.join(format!("{ASIDE}{name}"));
        // The name of the theme is in the name of the folder that is moved aside: `clear_abandoned`
        // restores it after a crash.
        let before = replace_folder(ready, &path, &aside).map_err(Error::internal)?;
        let replaced = ReplacedTheme {
            path,
            before,
            in_bucket: None,
            is_complete: false,
        };
        // After `replaced` exists, so that a failed flush undoes the change. Without the flush, a
        // power failure could undo the rename.
        self.flush()?;
        Ok(replaced)
    }

    /// Removes the local folder of the theme `name`.
    pub(super) fn remove_local(&self, name: &str) -> Result<ReplacedTheme> {
        let path = self.folder.join(name);
        let before = waiting(&self.folder);
        // Moved instead of removed, so that the removal can be undone until `keep`.
        fs::rename(&path, &before).map_err(Error::internal)?;
        let removed = ReplacedTheme {
            path,
            before: Some(before),
            in_bucket: None,
            is_complete: false,
        };
        self.flush()?;
        Ok(removed)
    }

    /// Flushes the folder of themes to disk.
    fn flush(&self) -> Result<()> {
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(Error::internal)
    }
}

fn waiting(folder: &Path) -> PathBuf {
    folder.join(unique_name(WAITING))
}

/// Removes the remains of a process that was killed while adding a theme, and restores a theme that
/// it had moved aside.
///
/// # Errors
///
/// If the folder cannot be read or written.
pub fn clear_abandoned(uploads: &Uploads) -> io::Result<()> {
    let folder = Themes::of(uploads).folder;
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let metadata = match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => metadata,
            // A file, or a folder that another process has just removed.
            _ => continue,
        };
        if let Some(theme) = name.strip_prefix(ASIDE) {
            // Another process may be between its two renames; restoring the old theme then would
            // make its second rename fail.
            if !uploads.is_untouched_for(&metadata, ASIDE_FOR) {
                continue;
            }
            let path = folder.join(theme);
            // With a theme at the path, the crash was after the second rename: the old theme is not
            // needed.
            if path.exists() {
                fs::remove_dir_all(entry.path())?
            } else {
                fs::rename(entry.path(), path)?
            }
        } else if name.starts_with(WAITING) && uploads.is_abandoned(&metadata) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a data folder with a theme that has this index.
    fn with_theme(index: &str) -> (tempfile::TempDir, Themes) {
        let data = tempfile::tempdir().unwrap();
        let themes = Themes::of(&Uploads::in_data(data.path()));
        let ready = themes.create_incoming_folder().unwrap();
        fs::write(ready.join("index.hbs"), index).unwrap();
        themes.put(&ready, "tide").unwrap().keep();
        (data, themes)
    }

    fn index(themes: &Themes) -> String {
        fs::read_to_string(themes.folder.join("tide/index.hbs")).unwrap()
    }

    fn names(themes: &Themes) -> Vec<String> {
        let entries = fs::read_dir(&themes.folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect()
    }

    #[test]
    fn uncommitted_replacement_is_undone() {
        let (_data, themes) = with_theme("old");
        let ready = themes.create_incoming_folder().unwrap();
        fs::write(ready.join("index.hbs"), "new").unwrap();
        let replaced = themes.put(&ready, "tide").unwrap();
        assert_eq!(index(&themes), "new");
        drop(replaced);
        assert_eq!(index(&themes), "old");
        drop(themes.remove("tide").unwrap());
        assert_eq!(index(&themes), "old");
        assert_eq!(names(&themes), ["tide"]);
    }

    #[test]
    fn theme_moved_aside_by_a_killed_process_is_restored() {
        let (data, themes) = with_theme("old");
        fs::rename(
            themes.folder.join("tide"),
            themes.folder.join(".replaced-tide"),
        )
        .unwrap();
        fs::create_dir(themes.folder.join(".incoming-1-0")).unwrap();
        clear_abandoned(&Uploads::in_data(data.path())).unwrap();
        assert_eq!(index(&themes), "old");
        assert_eq!(names(&themes), ["tide"]);
    }

    #[test]
    fn theme_replaced_by_a_killed_process_stays_replaced() {
        let (data, themes) = with_theme("new");
        fs::create_dir(themes.folder.join(".replaced-tide")).unwrap();
        clear_abandoned(&Uploads::in_data(data.path())).unwrap();
        assert_eq!(index(&themes), "new");
        assert_eq!(names(&themes), ["tide"]);
    }
}
