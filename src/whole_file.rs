//! Files that appear atomically: whole or not at all.
//!
//! A file is written under a temporary name at the top of the data folder. When all of it is on
//! disk, it gets its place by a link, which fails if there is a file already, or by a rename, which
//! replaces. Temporary files of a process that was killed are removed when the data folder is
//! opened again.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// The prefix of temporary files.
const WAITING: &str = "waiting-";

const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Distinguishes the files of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A temporary file. It is removed on drop; the places that it was given stay.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    path: PathBuf,
}

impl WholeFile {
    /// Creates an empty file in the data folder `data`.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn create(data: &Path) -> io::Result<Self> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = data.join(format!("{WAITING}{}-{number}", process::id()));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).truncate(true).create(true);
        let file = options.mode(FILE_MODE).open(&path)?;
        Ok(Self { file, path })
    }

    /// Creates a file with this content.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn with_content(data: &Path, content: &[u8]) -> io::Result<Self> {
        let mut file = Self::create(data)?;
        file.write_all(content)?;
        Ok(file)
    }

    /// Returns its temporary path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it a place that must be free, and returns whether it was. On return, all of it is on
    /// disk there.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the place is still free.
    pub fn place_new(&self, place: &Path) -> io::Result<bool> {
        self.file.sync_all()?;
        let folder = make_folder_of(place)?;
        match fs::hard_link(&self.path, place).or_else(|error| self.copy_new(place, error)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        }
        if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
            let _ = fs::remove_file(place);
            return Err(error);
        }
        Ok(true)
    }

    /// Copies it, for file systems without links. The place is taken first and filled then, so a
    /// reader in between sees less.
    fn copy_new(&self, place: &Path, why: io::Error) -> io::Result<()> {
        if why.kind() == io::ErrorKind::AlreadyExists {
            return Err(why);
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(FILE_MODE);
        let mut copy = options.open(place)?;
        let copied = File::open(&self.path)
            .and_then(|mut from| io::copy(&mut from, &mut copy))
            .and_then(|_| copy.sync_all());
        if copied.is_err() {
            let _ = fs::remove_file(place);
        }
        copied
    }

    /// Moves it to a place, replacing any file there. On return, all of it is on disk there.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the previous file is still there.
    pub fn replace(self, place: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        let folder = make_folder_of(place)?;
        fs::rename(&self.path, place)?;
        File::open(folder)?.sync_all()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    /// Removes the temporary name, if it was not moved. One that cannot be removed does no harm.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Creates the missing folders above `place`, durably.
fn make_folder_of(place: &Path) -> io::Result<&Path> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|folder| !folder.is_dir())
        .collect();
    for folder in missing.into_iter().rev() {
        match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
            // Another upload is creating the same folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => created?,
        }
        if let Some(above) = folder.parent() {
            File::open(above)?.sync_all()?;
        }
    }
    Ok(folder)
}

/// Removes the temporary files of a process that was killed. No other process may be using the
/// folder.
///
/// # Errors
///
/// If the folder cannot be read or written.
pub fn clear_abandoned(data: &Path) -> io::Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        let is_waiting = entry.file_name().to_string_lossy().starts_with(WAITING);
        if is_waiting && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_taken_once_and_temporary_files_are_removed() {
        let data = tempfile::tempdir().unwrap();
        let place = data.path().join("images/2026/11/a.png");
        let first = WholeFile::with_content(data.path(), b"first").unwrap();
        assert!(first.place_new(&place).unwrap());
        let second = WholeFile::with_content(data.path(), b"second").unwrap();
        assert!(!second.place_new(&place).unwrap());
        assert_eq!(fs::read(&place).unwrap(), b"first");
        second.replace(&place).unwrap();
        drop(first);
        assert_eq!(fs::read(&place).unwrap(), b"second");
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
    }

    #[test]
    fn remains_of_a_killed_process_are_removed() {
        let data = tempfile::tempdir().unwrap();
        std::mem::forget(WholeFile::with_content(data.path(), b"half").unwrap());
        fs::write(data.path().join("galley.redb"), "the store").unwrap();
        clear_abandoned(data.path()).unwrap();
        let remaining = fs::read_dir(data.path()).unwrap();
        let names: Vec<_> = remaining.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["galley.redb"]);
    }
}
