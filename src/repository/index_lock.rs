//! Git's own lock file for the index of a person.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::repository::{
    GitError,
    clone::{at, unless_gone},
};

/// The lock, which is released when it is dropped.
pub struct IndexLock(PathBuf);

impl IndexLock {
    /// Returns the content of the locks of the process with the data folder `data`.
    pub fn text(data: &Path) -> String {
        format!("locked by Galley, data folder {}\n", data.display())
    }

    /// Locks the index as git does, by creating the file `path` with the content `text`.
    ///
    /// # Errors
    ///
    /// `Busy` if another process has locked it; or if an I/O error occurs.
    pub fn take(path: PathBuf, text: &str) -> Result<Self, GitError> {
        let mut options = OpenOptions::new();
        // `O_EXCL`, as git itself does it: only one process can create the file.
        match options.write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                // Before the text is written, so that the file is removed if that fails.
                let lock = Self(path);
                let written = file.write_all(text.as_bytes());
                written.map_err(at(&lock.0))?;
                Ok(lock)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(GitError::Busy(format!(
                "another git process is running in the work tree. If none is, delete {}",
                path.display()
            ))),
            Err(error) => Err(at(&path)(error)),
        }
    }

    /// Removes the lock of a killed process, if it has the content `text`.
    ///
    /// # Errors
    ///
    /// If an I/O error occurs.
    pub fn remove_leftover(path: &Path, text: &str) -> Result<(), GitError> {
        // The lock of a git process contains its next index, never this text, and is left to it.
        if fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
            unless_gone(fs::remove_file(path)).map_err(at(path))?;
        }
        Ok(())
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::error!(%error, path = %self.0.display(), "a lock of git cannot be removed");
        }
    }
}
