//! Output files of commands: anywhere on the system, and unnamed until they are finished.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write},
    os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::{Builder, NamedTempFile, TempPath};

use crate::atomic_file::creation::{OUTPUT_MODE, create_new, folder_of, sync_folder_of};

/// Folder that lists the open files of this process.
const OPEN_FILES: &str = "/proc/self/fd";

/// The reason why an output file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputFileError {
    /// The file already exists.
    #[error("{} already exists. Choose another name, or overwrite it with --force", .0.display())]
    Exists(PathBuf),
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// An output file that is being written. Dropping it before [`OutputFile::finish`] leaves nothing behind.
pub struct OutputFile {
    out: BufWriter<File>,
    path: PathBuf,
    /// The hidden name until the file is finished, if it needs one.
    hidden: Option<TempPath>,
    overwrites: bool,
}

impl OutputFile {
    /// Creates the file `path`, readable only by its owner.
    ///
    /// # Errors
    ///
    /// `Exists` if a file exists there and `overwrites` is false; `Write` if it cannot be written, for example because
    /// the path is that of a folder.
    pub fn create(path: &Path, overwrites: bool) -> Result<Self, OutputFileError> {
        refuse_existing(path, overwrites)?;
        let (file, hidden) = open_output(path).map_err(write_error(path))?;
        Ok(Self {
            out: BufWriter::new(file),
            path: path.to_owned(),
            hidden,
            overwrites,
        })
    }

    /// Gives the file its name, durably, and returns its length in bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`OutputFile::create`]: another file may have been created there meanwhile.
    pub fn finish(mut self) -> Result<u64, OutputFileError> {
        let bytes = self.sync().map_err(write_error(&self.path))?;
        self.take_name()?;
        sync_folder_of(&self.path).map_err(write_error(&self.path))?;
        Ok(bytes)
    }

    /// Makes the content durable, and returns its length in bytes.
    fn sync(&mut self) -> io::Result<u64> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        Ok(self.out.get_ref().metadata()?.len())
    }

    fn take_name(&mut self) -> Result<(), OutputFileError> {
        refuse_existing(&self.path, self.overwrites)?;
        let named = match self.hidden.take() {
            Some(hidden) if self.overwrites => {
                hidden.persist(&self.path).map_err(|error| error.error)
            }
            Some(hidden) => hidden
                .persist_noclobber(&self.path)
                .map_err(|error| error.error),
            None if self.overwrites => self.replace(),
            None => self.link_to(&self.path),
        };
        named.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => OutputFileError::Exists(self.path.clone()),
            _ => write_error(&self.path)(error),
        })
    }

    /// Links the file to a hidden name first, because a link never replaces a file, but a rename does.
    fn replace(&self) -> io::Result<()> {
        let hidden = hidden_beside(&self.path, |name| self.link_to(name))?;
        let renamed = hidden.into_temp_path().persist(&self.path);
        renamed.map_err(|error| error.error)
    }

    fn link_to(&self, name: &Path) -> io::Result<()> {
        let open = format!("{OPEN_FILES}/{}", self.out.get_ref().as_raw_fd());
        // An unnamed file can be linked only through its entry in `/proc`, unless the process is
        // privileged (open(2), O_TMPFILE).
        Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Opens a new unnamed file in the folder of `path` or, if that is not supported, a file with a hidden name.
fn open_output(path: &Path) -> io::Result<(File, Option<TempPath>)> {
    // `unnamed` is not used because its files can never get a name (`O_EXCL`), or may have lost it.
    if Path::new(OPEN_FILES).is_dir()
        && let Ok(file) = OpenOptions::new()
            .write(true)
            .mode(OUTPUT_MODE)
            .custom_flags(OFlags::TMPFILE.bits().cast_signed())
            .open(folder_of(path))
    {
        return Ok((file, None));
    }
    let (file, name) = hidden_beside(path, |name| create_new(name, OUTPUT_MODE))?.into_parts();
    Ok((file, Some(name)))
}

/// Calls `create` with a free hidden name in the folder of `path`.
fn hidden_beside<F>(
    path: &Path,
    create: impl FnMut(&Path) -> io::Result<F>,
) -> io::Result<NamedTempFile<F>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".tmp")
        .make_in(folder_of(path), create)
}

fn refuse_existing(path: &Path, overwrites: bool) -> Result<(), OutputFileError> {
    if path.is_dir() {
        return Err(write_error(path)(io::ErrorKind::IsADirectory.into()));
    }
    if path.symlink_metadata().is_ok() && !overwrites {
        return Err(OutputFileError::Exists(path.to_owned()));
    }
    Ok(())
}

/// Returns a function that adds `path` to an error of the operating system.
fn write_error(path: &Path) -> impl FnOnce(io::Error) -> OutputFileError + '_ {
    |source| OutputFileError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::tests::{mode, names},
        *,
    };

    #[test]
    fn output_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("site.json");
        let mut file = OutputFile::create(&path, false).unwrap();
        file.write_all(b"all of it").unwrap();
        assert!(!path.exists());
        assert_eq!(file.finish().unwrap(), 9);
        assert_eq!(fs::read(&path).unwrap(), b"all of it");
        assert_eq!(mode(&path), OUTPUT_MODE);
        assert_eq!(names(folder.path()), ["site.json"]);
    }

    #[test]
    fn abandoned_output_leaves_nothing_even_without_cleanup() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = OutputFile::create(&folder.path().join("a"), false).unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn folder_is_not_reported_as_an_output_to_overwrite() {
        let folder = tempfile::tempdir().unwrap();
        for overwrites in [false, true] {
            let refused = OutputFile::create(folder.path(), overwrites);
            assert!(matches!(refused, Err(OutputFileError::Write { .. })));
        }
    }

    #[test]
    fn existing_output_is_replaced_only_on_request_and_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let late = OutputFile::create(&path, false).unwrap();
        fs::write(&path, "before").unwrap();
        assert!(matches!(late.finish(), Err(OutputFileError::Exists(_))));
        assert!(matches!(
            OutputFile::create(&path, false),
            Err(OutputFileError::Exists(_))
        ));
        let mut forced = OutputFile::create(&path, true).unwrap();
        forced.write_all(b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        forced.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(mode(&path), OUTPUT_MODE);
        assert_eq!(names(folder.path()), ["a"]);
    }
}
