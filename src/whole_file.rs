//! Files that are there whole or not at all.
//!
//! A file is written beside its place, under a name of its own at the top of the data folder. When all of it is on disk,
//! it is given its place by a link, which is refused where there is something already, or by a move, which replaces. What
//! a process leaves behind that is killed before that is taken away when the data folder is opened again.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// The beginning of the names of files that wait.
const WAITING: &str = "waiting-";

const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o644;

/// Tells the files of one process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A file on its way to its place. Dropping it takes it away; the places that it was given stay.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    path: PathBuf,
}

impl WholeFile {
    /// A new file, empty, in the data folder `data`.
    ///
    /// # Errors
    ///
    /// What the operating system says.
    pub fn create(data: &Path) -> io::Result<Self> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = data.join(format!("{WAITING}{}-{number}", process::id()));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).truncate(true).create(true);
        let file = options.mode(FILE_MODE).open(&path)?;
        Ok(Self { file, path })
    }

    /// A new file with this content.
    ///
    /// # Errors
    ///
    /// What the operating system says.
    pub fn with_content(data: &Path, content: &[u8]) -> io::Result<Self> {
        let mut file = Self::create(data)?;
        file.write_all(content)?;
        Ok(file)
    }

    /// Where it is for now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it a place that must be free; whether it was. When this returns, all of it is on disk there.
    ///
    /// # Errors
    ///
    /// What the operating system says. Then there is nothing in that place.
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

    /// For file systems without links. The place is taken at once and filled then: who looks at it in between sees less.
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

    /// Moves it to a place, whatever is there. When this returns, all of it is on disk there.
    ///
    /// # Errors
    ///
    /// What the operating system says. Then what was in that place is still there.
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
    /// What was moved is not there any more; what cannot be taken away harms nobody.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Makes the folders above `place` that are missing, and sees to it that they stay.
fn make_folder_of(place: &Path) -> io::Result<&Path> {
    let folder = place.parent().unwrap_or(Path::new("."));
    let missing: Vec<&Path> = folder
        .ancestors()
        .take_while(|folder| !folder.is_dir())
        .collect();
    for folder in missing.into_iter().rev() {
        match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
            // Another upload makes the same one.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        if let Some(above) = folder.parent() {
            File::open(above)?.sync_all()?;
        }
    }
    Ok(folder)
}

/// Takes away what a process left in the data folder that was killed. Nobody else may be using the folder.
///
/// # Errors
///
/// When the folder cannot be read or written.
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
    fn a_place_is_taken_once_and_what_waits_is_gone_in_the_end() {
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
    fn what_a_killed_process_left_is_taken_away() {
        let data = tempfile::tempdir().unwrap();
        std::mem::forget(WholeFile::with_content(data.path(), b"half").unwrap());
        fs::write(data.path().join("galley.redb"), "the store").unwrap();
        clear_abandoned(data.path()).unwrap();
        let left = fs::read_dir(data.path()).unwrap();
        let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["galley.redb"]);
    }
}
