//! Files that are made for somebody, wherever that may be, and appear under their name only when they are complete and on disk.
//!
//! Until then a file has no name at all, so that nothing stays behind of one that is given up, even by a process that is
//! killed. Where the file system has no such files it has a hidden name beside its place.

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

/// They hold addresses of people and hashes of passwords: they are for who made them.
const MODE: u32 = 0o600;

/// Where the files are listed that this process has open.
const OPEN_FILES: &str = "/proc/self/fd";

/// Why a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum NewFileError {
    /// Something is there already.
    #[error("{} is there already. Name another, or overwrite it with --force", .0.display())]
    Exists(PathBuf),
    /// The disk refuses.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// What was to be written.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// A file that is being written. Dropping it before [`NewFile::finish`] leaves nothing behind.
pub struct NewFile {
    out: BufWriter<File>,
    path: PathBuf,
    /// The name that it has until it is finished, where it has to have one.
    unfinished: Option<PathBuf>,
    overwrites: bool,
}

impl NewFile {
    /// Begins the file `path`, which its owner alone may read.
    ///
    /// # Errors
    ///
    /// `Exists` when there is such a file already and `overwrites` is false; `Write` when the disk refuses.
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

    /// Gives the file its name, durably, and tells how many bytes it has.
    ///
    /// # Errors
    ///
    /// As [`NewFile::create`]: another file may have taken the name meanwhile.
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
                    // What a process left behind that was killed in this very moment.
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
            // What cannot be removed either is a hidden file that no one takes for a finished one.
            let _ = fs::remove_file(name);
        }
    }
}

/// Opens a new file without a name in the folder of `path`, or, where there are none, with one that is returned.
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
    // One that is there already has the mode that it has.
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

/// Turns what the system says about `path` into an error that names it.
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
    fn a_file_is_there_when_it_is_finished_and_not_before() {
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
    fn a_file_that_is_given_up_leaves_nothing_even_when_nobody_can_tidy_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = NewFile::create(&folder.path().join("a"), false).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn what_is_there_is_replaced_only_on_request_and_in_one_step() {
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
