//! An open folder, whose entries are created, renamed and removed by name.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, fchmod, openat, renameat, statat, unlinkat},
    io::Errno,
};
use uuid::Uuid;

use super::lookup::is_link;

/// Mode of a file before it has its final name: only its owner may read it.
const PRIVATE: u32 = 0o600;

/// An open folder. The handle refers to the same folder if that is moved, or if its path becomes a
/// link.
#[derive(Debug)]
pub struct OpenFolder(OwnedFd);

impl OpenFolder {
    pub(super) fn new(handle: OwnedFd) -> Self {
        Self(handle)
    }

    /// Returns whether there is an entry with this name, of any kind.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn has(&self, name: &OsStr) -> io::Result<bool> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns whether the entry with this name is a symbolic link.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn is_link(&self, name: &OsStr) -> io::Result<bool> {
        Ok(is_link(self.0.as_fd(), name)?)
    }

    /// Creates a new file, with this mode before the umask.
    ///
    /// # Errors
    ///
    /// `AlreadyExists`, also if it is a link; if the operating system refuses.
    pub fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::from_raw_mode(mode))?;
        Ok(File::from(file))
    }

    /// Creates a file with a free name that begins with `prefix`. The finished file will have this
    /// mode.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn begin_file(&self, prefix: &str, mode: u32) -> io::Result<UnfinishedFile<'_>> {
        let name = format!("{prefix}{}", Uuid::new_v4().simple());
        let file = UnfinishedFile {
            content: self.create_file(OsStr::new(&name), PRIVATE)?,
            folder: self,
            name: Some(name),
        };
        // Set explicitly, because the umask applies to the mode of a new file.
        fchmod(&file.content, Mode::from_raw_mode(mode))?;
        Ok(file)
    }

    /// Renames an entry, replacing any other entry with that name.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.move_to(from, self, to)
    }

    /// Moves an entry to a folder of the same file system, replacing any other entry with that
    /// name.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn move_to(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &folder.0, to)?)
    }

    /// Removes a file or a link. Does nothing if it does not exist.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    ///
    /// If it is not an empty folder, or the operating system refuses.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes the names of the entries durable.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

/// A file with a temporary name. It is removed on drop.
#[derive(Debug)]
pub struct UnfinishedFile<'f> {
    content: File,
    folder: &'f OpenFolder,
    name: Option<String>,
}

impl UnfinishedFile<'_> {
    /// Returns the open file.
    pub fn content(&mut self) -> &mut File {
        &mut self.content
    }

    /// Renames the file to `name` in a folder, replacing any file or link with that name.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the previous file is still there.
    pub fn finish(mut self, folder: &OpenFolder, name: &OsStr) -> io::Result<()> {
        if let Some(own) = &self.name {
            self.folder.move_to(OsStr::new(own), folder, name)?;
            self.name = None;
        }
        Ok(())
    }
}

impl Drop for UnfinishedFile<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.folder.remove(OsStr::new(name));
        }
    }
}
