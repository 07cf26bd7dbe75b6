//! Restores a backup into a data folder: all of it, or nothing.
//!
//! First, a file marks the data folder as not yet a site ([`UnfinishedWork`]). Nothing else is written
//! before the whole backup has been verified. Then all files are extracted into the folder `restoring`
//! within the data folder, flushed, and moved to their paths: uploads first, the store last. If the
//! process is killed before that, no command except the next restore opens the folder. That restore
//! removes the files so far and starts again. Uploads in a shared folder are extracted into a
//! temporary folder in there, whose path is recorded in a file in `restoring`. Another file there
//! lists the objects that are stored in a bucket.

mod extraction;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

pub(super) use self::extraction::archived;
pub use self::extraction::clear_abandoned;
use self::extraction::{has_begun, objects_left_in, put_back};
use super::{
    Backup, BackupError, Destination, Location, RestorePoint, STORE, StoredBackup, Verdict,
    increments::{MomentName, assemble, last_whole},
};
use crate::{
    atomic_file::{self, AtomicFile},
    backup::error::{read_error, write_error},
    data_folder::{CONTROL_SOCKET, DataFolder, DataFolderError, UNFINISHED, UnfinishedWork},
    progress::Progress,
    uploads::{BucketUploads, UPLOAD_FOLDERS, Uploads},
};

/// Names that are allowed in a folder that counts as empty: the lock, the socket of a killed server,
/// and the folder that a file system creates at its top.
const IGNORED_NAMES: [&str; 4] = ["galley.lock", CONTROL_SOCKET, "lost+found", UNFINISHED];

const LOCK: &str = IGNORED_NAMES[0];

/// Restores the backup at `path` into the data folder `data`, which must be empty or not exist, and
/// into `uploads`, which must be empty.
///
/// # Errors
///
/// If the backup cannot be read or is damaged, a folder is not empty or in use, the disk refuses, or
/// `progress` cancels. The folders are then in their previous state.
pub fn restore(
    path: &Path,
    data: &Path,
    uploads: &Uploads,
    progress: &dyn Progress,
) -> Result<Verdict, BackupError> {
    RestoreInProgress::begin(data, uploads)?.complete(path, progress)
}

/// The description of a restore, which ends when the store is in the data folder.
fn work() -> UnfinishedWork {
    UnfinishedWork::of("galley restore", Some(STORE.into()))
}

/// Returns an error if a killed restore has left the data folder without its store.
///
/// # Errors
///
/// `Unfinished` if there is one, `Io` if the folder cannot be read.
pub fn refuse_unfinished(data: &Path) -> Result<(), DataFolderError> {
    match has_begun(data) {
        Ok(false) => Ok(()),
        Ok(true) => Err(DataFolderError::Unfinished {
            path: data.to_owned(),
            work: Box::new(work()),
        }),
        Err(source) => Err(DataFolderError::Io {
            path: data.to_owned(),
            source,
        }),
    }
}

/// A restore in progress. Until it is complete, no other command opens the data folder. If it is
/// dropped before that, the folders return to their previous state.
pub struct RestoreInProgress<'u> {
    data: PathBuf,
    uploads: &'u Uploads,
    created: CreatedPaths,
    folder: DataFolder,
    /// The backup, if it was fetched from a destination.
    fetched: Option<AtomicFile>,
    /// True if an earlier restore was killed. The folder then remains marked as unfinished after an
    /// error.
    follows_killed_restore: bool,
    /// True if the remains of that restore have been removed.
    is_cleared: bool,
    is_complete: bool,
}

impl<'u> RestoreInProgress<'u> {
    /// Begins to restore into the data folder `data`, which must be empty or not exist, and into
    /// `uploads`, which must be empty. The remains of a killed restore are removed.
    ///
    /// # Errors
    ///
    /// If a folder is not empty or in use, or the disk refuses.
    pub fn begin(data: &Path, uploads: &'u Uploads) -> Result<Self, BackupError> {
        // Checked first, so that the data folder of a running site is not modified.
        if let Some(owner) = DataFolder::owner_of(data)? {
            return Err(DataFolderError::InUse {
                path: data.to_owned(),
                owner: Some(Box::new(owner)),
            }
            .into());
        }
        let follows_killed_restore =
            DataFolder::unfinished(data)?.is_some() || has_begun(data).map_err(read_error(data))?;
        if !follows_killed_restore && !is_new(data)? {
            return Err(BackupError::NotEmpty(data.to_owned()));
        }
        let created = CreatedPaths::before(data);
        let folder = DataFolder::begin(data, &work());
        let folder = folder.inspect_err(|_| created.remove_folders())?;
        let mut begun = Self {
            data: data.to_owned(),
            uploads,
            created,
            folder,
            fetched: None,
            follows_killed_restore,
            is_cleared: false,
            is_complete: false,
        };
        if let Some(bucket) = uploads.bucket() {
            // Before the remains are cleared, because the list of these objects is one of them.
            refuse_objects(bucket, &objects_left_in(data)?)?;
        }
        begun.clear()?;
        begun.is_cleared = true;
        // After the remains are cleared: a killed restore leaves uploads in the shared folder.
        refuse_uploads(uploads)?;
        if is_new(data)? {
            return Ok(begun);
        }
        begun.refuse_filled()
    }

    /// Fetches a backup into the data folder, and returns its path there.
    ///
    /// # Errors
    ///
    /// If the backup cannot be read, the file cannot be written, or `progress` cancels.
    fn fetch(
        &mut self,
        from: &Destination,
        backup: &StoredBackup,
        progress: &dyn Progress,
    ) -> Result<PathBuf, BackupError> {
        let file = AtomicFile::private(&self.data).map_err(write_error(&self.data))?;
        let file = self.fetched.insert(file);
        let path = file.path().to_owned();
        from.fetch(backup, (&path, file), progress)?;
        Ok(path)
    }

    /// Fetches a backup of either kind into the data folder, and returns its path there. A moment of
    /// incremental backups is assembled into a whole backup from verified objects.
    ///
    /// # Errors
    ///
    /// If the backup cannot be read, the file cannot be written, an object is missing or damaged, or
    /// `progress` cancels.
    pub fn fetch_point(
        &mut self,
        from: &Destination,
        point: &RestorePoint,
        progress: &dyn Progress,
    ) -> Result<PathBuf, BackupError> {
        let moment = match point {
            RestorePoint::File(backup) => return self.fetch(from, backup, progress),
            RestorePoint::Moment(moment) => moment,
        };
        let location = Location::new(from.clone(), &self.data);
        let file = AtomicFile::private(&self.data).map_err(write_error(&self.data))?;
        let file = self.fetched.insert(file);
        let path = file.path().to_owned();
        match assemble(&location, moment, (&path, file), progress) {
            Ok(()) => Ok(path),
            Err(error) => Err(with_earlier(&location, moment, error)),
        }
    }

    /// Restores the backup at `path`.
    ///
    /// # Errors
    ///
    /// If the backup cannot be read or is damaged, the disk refuses, or `progress` cancels.
    pub fn complete(
        mut self,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Verdict, BackupError> {
        // All of it is verified before the first file is extracted, so that a damaged backup
        // changes nothing.
        let mut backup = Backup::open(path)?;
        let verdict = backup.verify(progress)?;
        if !verdict.damages.is_empty() {
            return Err(BackupError::Damaged(verdict.damages));
        }
        put_back(&mut backup, &self.data, self.uploads, progress)?;
        // From here on, the folder contains a site, which `drop` must not remove.
        self.is_complete = true;
        // The remaining folder is empty. If it cannot be removed now, it is removed when the data
        // folder is opened.
        let _ = clear_abandoned(&self.data).map(|()| self.folder.finish());
        Ok(verdict)
    }

    /// Removes the remains of an incomplete restore, including uploads.
    fn clear(&self) -> Result<(), BackupError> {
        let data = &self.data;
        if let Some(bucket) = self.uploads.bucket() {
            for object in objects_left_in(data)? {
                bucket.delete(&object).map_err(write_error(data))?;
            }
        }
        clear_abandoned(data).map_err(write_error(data))?;
        atomic_file::clear_abandoned(data, |_| true).map_err(write_error(data))
    }

    /// Returns an error because another process has filled the folder meanwhile; its files are not
    /// removed.
    fn refuse_filled(mut self) -> Result<Self, BackupError> {
        self.is_complete = true;
        self.folder.finish()?;
        Err(BackupError::NotEmpty(self.data.clone()))
    }
}

impl Drop for RestoreInProgress<'_> {
    fn drop(&mut self) {
        // The list of objects of a refused restore is retained, so that the next restore recognises them.
        if self.is_complete || (self.follows_killed_restore && !self.is_cleared) {
            return;
        }
        // The temporary file is in the folder that is removed below.
        self.fetched = None;
        // If files or objects cannot be removed now, the folder remains marked as unfinished.
        let is_clear = self.clear().is_ok();
        if is_clear && !self.follows_killed_restore && self.folder.finish().is_ok() {
            self.created.remove();
        }
    }
}

/// Adds the last moment before `moment` that can be restored to an error about an object.
fn with_earlier(location: &Location, moment: &MomentName, error: BackupError) -> BackupError {
    let BackupError::Object { name, .. } = &error else {
        return error;
    };
    match last_whole(location, moment, name) {
        Ok(Some(earlier)) => BackupError::EarlierIsWhole {
            source: Box::new(error),
            time: earlier.created_at,
        },
        // The first error is the one to report.
        Ok(None) | Err(_) => error,
    }
}

/// Returns whether the folder does not exist, or contains nothing that could conflict with a site.
fn is_new(data: &Path) -> Result<bool, BackupError> {
    let entries = match fs::read_dir(data) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        entries => entries.map_err(read_error(data))?,
    };
    for entry in entries {
        let name = entry.map_err(read_error(data))?.file_name();
        if !IGNORED_NAMES.iter().any(|ignored| name == *ignored) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns an error if a bucket has objects other than those `left` by a killed restore.
fn refuse_objects(bucket: &BucketUploads, left: &BTreeSet<String>) -> Result<(), BackupError> {
    let name = PathBuf::from(format!("{bucket:?}"));
    let listed = bucket.list("").map_err(read_error(&name))?;
    if listed.iter().all(|object| left.contains(&object.name)) {
        Ok(())
    } else {
        Err(BackupError::UploadsExist(name))
    }
}

/// Returns an error if a shared folder contains uploads.
fn refuse_uploads(uploads: &Uploads) -> Result<(), BackupError> {
    if !uploads.are_shared() {
        return Ok(());
    }
    for name in UPLOAD_FOLDERS {
        let folder = uploads.path(name);
        match fs::read_dir(&folder).map(|mut entries| entries.next()) {
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(Some(_)) => return Err(BackupError::UploadsExist(folder)),
            Err(error) => return Err(read_error(&folder)(error)),
        }
    }
    Ok(())
}

/// Files and folders that a restore creates in addition to the restored files.
struct CreatedPaths {
    /// The folders that did not exist, outermost first.
    folders: Vec<PathBuf>,
    lock: Option<PathBuf>,
}

impl CreatedPaths {
    fn before(data: &Path) -> Self {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let mut folders: Vec<PathBuf> = data
            .ancestors()
            .take_while(is_missing)
            .map(Path::to_owned)
            .collect();
        folders.reverse();
        let lock = data.join(LOCK);
        Self {
            folders,
            lock: (!lock.exists()).then_some(lock),
        }
    }

    /// Removes these files and folders.
    fn remove(&self) {
        // Folders in which another process has created files meanwhile are not empty and remain.
        if let Some(lock) = &self.lock {
            let _ = fs::remove_file(lock);
        }
        self.remove_folders();
    }

    fn remove_folders(&self) {
        // The innermost folder first. Folders that are not empty remain, because `remove_dir`
        // refuses them.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
