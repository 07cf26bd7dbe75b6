//! Output files, anywhere on the system, that appear under their name only when they are complete
//! and on disk.
//!
//! Until then a file has no name at all, so that an abandoned one leaves nothing behind, even if
//! the process is killed. If the file system does not support such files, it has a hidden name
//! beside its place.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::{
        fd::AsRawFd,
        unix::fs::{OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};

/// They contain e-mail addresses and password hashes, so only their owner may read them.
const MODE: u32 = 0o600;

/// Folder that lists the open files of this process.
const OPEN_FILES: &str = "/proc/self/fd";

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum NewFileError {
    /// The file exists already.
    #[error("{} already exists. Choose another name, or overwrite it with --force", .0.display())]
    Exists(PathBuf),
    /// The disk refuses.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// A file that is being written. Dropping it before [`NewFile::finish`] leaves nothing behind.
pub struct NewFile {
    out: BufWriter<File>,
    path: PathBuf,
    /// The hidden name until it is finished, if it needs one.
    unfinished: Option<PathBuf>,
    overwrites: bool,
}

impl NewFile {
    /// Creates the file `path`, readable by its owner only.
    ///
    /// # Errors
    ///
    /// `Exists` if there is such a file and `overwrites` is false; `Write` if the disk refuses.
    pub fn create(path: &Path, overwrites: bool) -> Result<Self, NewFileError> {
        refuse_existing(path, overwrites)?;
        let (file, unfinished) = begin(path).map_err(writing(path))?;
        Ok(Self {
            out: BufWriter::new(file),
            path: path.to_owned(),
            unfinished,
            overwrites,
        })
    }

    /// Gives the file its name, durably, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// Those of [`NewFile::create`]: another file may have taken the name meanwhile.
    pub fn finish(mut self) -> Result<u64, NewFileError> {
        let bytes = self.synced().map_err(writing(&self.path))?;
        self.take_name()?;
        let synced = File::open(folder_of(&self.path)).and_then(|folder| folder.sync_all());
        synced.map_err(writing(&self.path))?;
        Ok(bytes)
    }

    fn synced(&mut self) -> io::Result<u64> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        Ok(self.out.get_ref().metadata()?.len())
    }

    fn take_name(&mut self) -> Result<(), NewFileError> {
        refuse_existing(&self.path, self.overwrites)?;
        if self.unfinished.is_none() {
            match self.link_to(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !self.overwrites {
                        return Err(NewFileError::Exists(self.path.clone()));
                    }
                    let name = hidden_name(&self.path);
                    // The remains of a process that was killed at this very point.
                    let _ = fs::remove_file(&name);
                    self.link_to(&name).map_err(writing(&self.path))?;
                    self.unfinished = Some(name);
                }
                linked => return linked.map_err(writing(&self.path)),
            }
        }
        if let Some(name) = &self.unfinished {
            fs::rename(name, &self.path).map_err(writing(&self.path))?;
        }
        self.unfinished = None;
        Ok(())
    }

    fn link_to(&self, name: &Path) -> io::Result<()> {
        let open = format!("{OPEN_FILES}/{}", self.out.get_ref().as_raw_fd());
        Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(name) = &self.unfinished {
            // One that cannot be removed is a hidden file, which is not mistaken for a finished
            // one.
            let _ = fs::remove_file(name);
        }
    }
}

/// Opens a new file without a name in the folder of `path`, or, if that is not supported, with a
/// name that is returned.
fn begin(path: &Path) -> io::Result<(File, Option<PathBuf>)> {
    if Path::new(OPEN_FILES).is_dir()
        && let Ok(file) = OpenOptions::new()
            .write(true)
            .mode(MODE)
            .custom_flags(OFlags::TMPFILE.bits().cast_signed())
            .open(folder_of(path))
    {
        return Ok((file, None));
    }
    let name = hidden_name(path);
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(MODE)
        .open(&name)?;
    // An existing file keeps its mode on open, so the mode is set.
    file.set_permissions(fs::Permissions::from_mode(MODE))?;
    Ok((file, Some(name)))
}

fn hidden_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn refuse_existing(path: &Path, overwrites: bool) -> Result<(), NewFileError> {
    if path.is_dir() || (path.symlink_metadata().is_ok() && !overwrites) {
        Err(NewFileError::Exists(path.to_owned()))
    } else {
        Ok(())
    }
}

/// Converts a system error about `path` into an error that names it.
fn writing(path: &Path) -> impl FnOnce(io::Error) -> NewFileError + '_ {
    |source| NewFileError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site.json");
        let mut file = NewFile::create(&path, false).unwrap();
        file.write_all(b"all of it").unwrap();
        assert!(!path.exists());
        assert_eq!(file.finish().unwrap(), 9);
        assert_eq!(fs::read(&path).unwrap(), b"all of it");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            MODE
        );
        assert_eq!(names(folder.path()), ["site.json"]);
    }

    #[test]
    fn abandoned_file_leaves_nothing_even_without_cleanup() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = NewFile::create(&folder.path().join("a"), false).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn existing_file_is_replaced_only_on_request_and_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let late = NewFile::create(&path, false).unwrap();
        fs::write(&path, "before").unwrap();
        assert!(matches!(late.finish(), Err(NewFileError::Exists(_))));
        assert!(matches!(
            NewFile::create(&path, false),
            Err(NewFileError::Exists(_))
        ));
        let mut forced = NewFile::create(&path, true).unwrap();
        forced.write_all(b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        forced.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(names(folder.path()), ["a"]);
    }
}
