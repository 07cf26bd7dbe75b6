//! Where the uploads and themes of a site are kept: in the data folder, or in a folder that several
//! processes share.
//!
//! A data folder belongs to one process, and everything temporary in it to that process as well. In
//! a shared folder, what is temporary may belong to another process that is at work, so it has names
//! that occur only once, and is removed only when nothing has touched it for a day.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use uuid::Uuid;

use crate::atomic_file::{self, AtomicFile};

/// The folders of uploads: images, video and audio, other files, and themes.
pub const UPLOAD_FOLDERS: [&str; 4] = ["images", "media", "files", "themes"];

/// How long something temporary in a shared folder must be untouched before it counts as left
/// behind: longer than any upload or import pauses, and than clocks of two machines differ.
const ABANDONED_AFTER: Duration = Duration::from_hours(24);

/// The uploads and themes of a site, as files.
#[derive(Clone, Debug)]
pub struct Uploads {
    folder: PathBuf,
    is_shared: bool,
}

/// The folder of uploads cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot keep uploads in {}: {source}. Create or mount the folder, make it writable, or set another for uploads.folder",
    path.display()
)]
pub struct UploadsError {
    path: PathBuf,
    source: io::Error,
}

impl Uploads {
    /// Returns the uploads that are kept in the data folder `data`.
    pub fn in_data(data: &Path) -> Self {
        Self {
            folder: data.to_owned(),
            is_shared: false,
        }
    }

    /// Returns the uploads that are kept in `folder`, which other processes may use as well.
    pub fn in_shared(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            is_shared: true,
        }
    }

    /// Checks that the shared folder exists and can be written. One that does not exist is not
    /// created, because it may be a file system that is not mounted.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used.
    pub fn check(&self) -> Result<(), UploadsError> {
        if !self.is_shared {
            return Ok(());
        }
        let tried = fs::read_dir(&self.folder).and_then(|_| self.incoming());
        tried.map(drop).map_err(|source| UploadsError {
            path: self.folder.clone(),
            source,
        })
    }

    /// Returns the folder that has [`UPLOAD_FOLDERS`].
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether they are kept outside of the data folder.
    pub fn are_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns the path of the upload `name`, such as `images/2026/11/ferry.jpg`, whether or not it
    /// exists.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the path of the upload `name` if there is such a file.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        Some(self.path(name)).filter(|path| path.is_file())
    }

    /// Creates an empty file that may become an upload.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn incoming(&self) -> io::Result<AtomicFile> {
        AtomicFile::create(&self.folder)
    }

    /// Creates a file with this content that may become an upload.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn incoming_with(&self, content: &[u8]) -> io::Result<AtomicFile> {
        AtomicFile::with_content(&self.folder, content)
    }

    /// Makes `file` the upload `name`, unless there is one; returns whether there was none. On
    /// return, all of it is on disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then there is no such upload.
    pub fn place_new(&self, file: &AtomicFile, name: &str) -> io::Result<bool> {
        file.place_new(&self.path(name))
    }

    /// Makes `file` the upload `name`, in place of one that may exist. On return, all of it is on
    /// disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the previous one is still there.
    pub fn replace(&self, file: AtomicFile, name: &str) -> io::Result<()> {
        file.replace(&self.path(name))
    }

    /// Removes the upload `name`.
    ///
    /// # Errors
    ///
    /// If the operating system refuses, or there is no such upload.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    /// Removes temporary files of processes that were killed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read or written.
    pub fn clear_abandoned(&self) -> io::Result<()> {
        atomic_file::clear_abandoned(&self.folder, |metadata| self.is_abandoned(metadata))
    }

    /// Returns whether a temporary file or folder was left behind by a process that was killed. The
    /// process that has the data folder asks before it creates any.
    pub fn is_abandoned(&self, metadata: &Metadata) -> bool {
        self.is_untouched_for(metadata, ABANDONED_AFTER)
    }

    /// Returns whether a temporary file or folder belongs to no other process, because the folder
    /// is not shared or it has not changed for this time.
    pub fn is_untouched_for(&self, metadata: &Metadata, time: Duration) -> bool {
        let changed = Duration::from_secs(u64::try_from(metadata.ctime()).unwrap_or_default());
        let age = SystemTime::now().duration_since(UNIX_EPOCH + changed);
        !self.is_shared || age.is_ok_and(|age| age >= time)
    }
}

/// Returns a name with this prefix that occurs nowhere else, for something temporary in a shared
/// folder.
pub fn unique_name(prefix: &str) -> String {
    format!("{prefix}{}", Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_file_of_another_process_stays_in_a_shared_folder() {
        let folder = tempfile::tempdir().unwrap();
        let shared = Uploads::in_shared(folder.path());
        let incoming = shared.incoming_with(b"half").unwrap();
        shared.clear_abandoned().unwrap();
        assert!(incoming.path().exists());
        let metadata = fs::metadata(incoming.path()).unwrap();
        assert!(shared.is_untouched_for(&metadata, Duration::ZERO));
        Uploads::in_data(folder.path()).clear_abandoned().unwrap();
        assert!(!incoming.path().exists());
    }

    #[test]
    fn shared_folder_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        Uploads::in_shared(folder.path()).check().unwrap();
        let missing = folder.path().join("missing");
        let error = Uploads::in_shared(&missing)
            .check()
            .unwrap_err()
            .to_string();
        assert!(error.contains("uploads.folder"), "{error}");
        assert!(!missing.exists());
    }
}
