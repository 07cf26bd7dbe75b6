//! A file that appears under its name only when it is complete and on disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use super::{ExportError, writing};

/// Exports hold addresses of people and hashes of passwords: they are for who made them.
const MODE: u32 = 0o600;

/// A file that is being written beside its place. Dropping it before [`NewFile::finish`] leaves nothing behind.
pub struct NewFile {
    out: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
    overwrites: bool,
    is_finished: bool,
}

impl NewFile {
    /// Begins the file `path`, which its owner alone may read.
    ///
    /// # Errors
    ///
    /// `Exists` when there is such a file already and `overwrites` is false; `Write` when the disk refuses.
    pub fn create(path: &Path, overwrites: bool) -> Result<Self, ExportError> {
        refuse_existing(path, overwrites)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(MODE)
            .open(&temporary)
            .map_err(writing(path))?;
        Ok(Self {
            out: BufWriter::new(file),
            temporary,
            path: path.to_owned(),
            overwrites,
            is_finished: false,
        })
    }

    /// Gives the file its name, durably, and tells how many bytes it has.
    ///
    /// # Errors
    ///
    /// As [`NewFile::create`]: another file may have taken the name meanwhile.
    pub fn finish(mut self) -> Result<u64, ExportError> {
        let bytes = self.synced().map_err(writing(&self.path))?;
        refuse_existing(&self.path, self.overwrites)?;
        fs::rename(&self.temporary, &self.path).map_err(writing(&self.path))?;
        self.is_finished = true;
        Ok(bytes)
    }

    fn synced(&mut self) -> io::Result<u64> {
        self.out.flush()?;
        self.out.get_ref().sync_all()?;
        Ok(self.out.get_ref().metadata()?.len())
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
        if !self.is_finished {
            // What cannot be removed either is a hidden file that no one takes for an export.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn refuse_existing(path: &Path, overwrites: bool) -> Result<(), ExportError> {
    match path.is_dir() || (path.symlink_metadata().is_ok() && !overwrites) {
        true => Err(ExportError::Exists(path.to_owned())),
        false => Ok(()),
    }
}
