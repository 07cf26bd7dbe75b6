//! Files that appear atomically: either complete and on disk, or not at all. Also unnamed files.
//!
//! An [`AtomicFile`] belongs to the data folder or the folder of uploads. It is written under a temporary name at the top of
//! that folder. It gets its path either by a link, which fails if a file exists, or by a rename, which replaces an existing
//! file. Temporary files of a killed process are removed when the site is opened again.
//!
//! An [`OutputFile`] can be written anywhere, for the user who runs a command. It has no name until it is finished, so an
//! abandoned file leaves nothing behind, even if the process is killed. If the file system does not support unnamed files, it
//! has a hidden name next to its path.
//!
//! [`replace_content`] rewrites a file that other programs also read. [`replace_folder`] exchanges a folder and its
//! replacement in one step.

mod creation;
mod output;
mod ownership;

use std::{
    fs::{self, DirBuilder, File, Metadata, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};
use tempfile::{Builder, NamedTempFile, TempDir};

pub use self::output::{OutputFile, OutputFileError};
pub use self::ownership::give_to_owner_of;

use self::creation::{OUTPUT_MODE, create_new, folder_of, sync_folder_of};

/// The prefix of temporary files in the data folder and the folder of uploads.
const TEMPORARY_PREFIX: &str = "waiting-";

const FOLDER_MODE: u32 = 0o755;
const PRIVATE_FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o644;

/// Creates an unnamed file in `folder`. The system deletes it when it is closed.
///
/// # Errors
///
/// If the operating system refuses.
pub fn unnamed(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}

/// Creates a folder in the system's folder for temporary files that only this user can enter. It is removed on drop.
///
/// # Errors
///
/// If the operating system refuses.
pub fn temporary_folder(prefix: &str) -> io::Result<TempDir> {
    Builder::new()
        .prefix(prefix)
        .permissions(Permissions::from_mode(PRIVATE_FOLDER_MODE))
        .tempdir()
}

/// Replaces the folder `path` by `ready`, and returns the new path of the previous folder, if one existed. If the file system
/// cannot exchange folders, the previous one is first moved to `aside`.
///
/// # Errors
///
/// If the operating system refuses; `path` is then unchanged.
pub fn replace_folder(ready: &Path, path: &Path, aside: &Path) -> io::Result<Option<PathBuf>> {
    if fs::symlink_metadata(path).is_err() {
        fs::rename(ready, path)?;
        return Ok(None);
    }
    // In one step, so that readers always find a complete folder. Some file systems, such as NFS,
    // do not support that.
    if swap_folders(ready, path).is_ok() {
        return Ok(Some(ready.to_owned()));
    }
    fs::rename(path, aside)?;
    match fs::rename(ready, path) {
        Ok(()) => Ok(Some(aside.to_owned())),
        Err(error) => {
            // The previous folder returns to its path.
            fs::rename(aside, path)?;
            Err(error)
        }
    }
}

/// Exchanges two folders.
///
/// # Errors
///
/// If the operating system refuses, or the file system does not support it.
pub fn swap_folders(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// A temporary file in the data folder or the folder of uploads. It is removed on drop; files that were created from it at
/// other paths remain.
#[derive(Debug)]
pub struct AtomicFile(NamedTempFile);

impl AtomicFile {
    /// Creates an empty file in `data`, the data folder or the folder of uploads.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn create(data: &Path) -> io::Result<Self> {
        Self::with_mode(data, FILE_MODE)
    }

    /// Creates an empty file in any folder. Only its owner may read it.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn private(folder: &Path) -> io::Result<Self> {
        Self::with_mode(folder, OUTPUT_MODE)
    }

    fn with_mode(folder: &Path, mode: u32) -> io::Result<Self> {
        let file = Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .make_in(folder, |path| create_new(path, mode))?;
        Ok(Self(file))
    }

    /// Creates a file with `content`.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn with_content(data: &Path, content: &[u8]) -> io::Result<Self> {
        let mut file = Self::create(data)?;
        file.write_all(content)?;
        Ok(file)
    }

    /// Sets the modification time of the file.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn set_modified(&self, time: SystemTime) -> io::Result<()> {
        self.0.as_file().set_modified(time)
    }

    /// Returns the temporary path of the file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Adds the file at `path` if no file exists there, and returns whether it was added. On return, it is completely on
    /// disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then nothing was added.
    pub fn persist_new(&self, path: &Path) -> io::Result<bool> {
        // Before it gets its name: after a crash, the name could otherwise be that of an empty file.
        self.0.as_file().sync_all()?;
        make_folder_of(path)?;
        // A link instead of a rename, because a rename would replace an existing file.
        match fs::hard_link(self.path(), path).or_else(|error| self.copy_new(path, error)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(error),
        }
        if let Err(error) = sync_folder_of(path) {
            // A name that may be lost in a crash must not be used by a commit.
            let _ = fs::remove_file(path);
            return Err(error);
        }
        Ok(true)
    }

    /// Copies the file, for file systems without links.
    fn copy_new(&self, path: &Path, why: io::Error) -> io::Result<()> {
        if why.kind() == io::ErrorKind::AlreadyExists {
            return Err(why);
        }
        copy_new(self.path(), path)
    }

    /// Moves the file to `path`, replacing any file there. It is durable once the file system is flushed.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the previous file is still there.
    pub fn replace_unflushed(self, path: &Path) -> io::Result<()> {
        self.0.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Moves the file to `path`, replacing any file there. On return, it is completely on disk.
    ///
    /// # Errors
    ///
    /// If the operating system refuses. Then the previous file is still there.
    pub fn replace(self, path: &Path) -> io::Result<()> {
        self.0.as_file().sync_all()?;
        make_folder_of(path)?;
        self.0.persist(path).map_err(|error| error.error)?;
        sync_folder_of(path)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_file_mut().flush()
    }
}

/// Replaces the content of a file that people and other programs read. Creates the file and its folders if they do not exist.
/// On return, the content is completely on disk. An existing file keeps its permissions.
///
/// # Errors
///
/// If the operating system refuses. Then the previous content is still there.
pub fn replace_content(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    // The new file replaces the old one, so the permissions have to be copied.
    let permissions = match fs::metadata(path) {
        Ok(known) => known.permissions(),
        Err(_) => Permissions::from_mode(FILE_MODE),
    };
    let mut file = Builder::new().prefix(".galley-").tempfile_in(folder)?;
    file.write_all(content)?;
    // After the content: a file that is being written is readable only by its owner.
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()
}

/// Removes the temporary files in `folder` for which `is_abandoned` returns true: those that a killed process left behind.
///
/// # Errors
///
/// If the folder cannot be read or written.
pub fn clear_abandoned(folder: &Path, is_abandoned: impl Fn(&Metadata) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_temporary = name.to_string_lossy().starts_with(TEMPORARY_PREFIX);
        if !is_temporary || !entry.file_type()?.is_file() {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) if is_abandoned(&metadata) => fs::remove_file(entry.path())?,
            // Another process may have removed it meanwhile.
            _ => {}
        }
    }
    Ok(())
}

/// Copies a file to a new path, for file systems without links: to a temporary file next to the original, which is then
/// renamed. If the file system can only rename by replacing, the path is first claimed with an empty file.
///
/// # Errors
///
/// `AlreadyExists` if there is a file at the path; if the operating system refuses.
pub fn copy_new(from: &Path, path: &Path) -> io::Result<()> {
    let mut copy = AtomicFile::create(folder_of(from))?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.0.as_file().sync_all()?;
    match renameat_with(CWD, copy.path(), CWD, path, RenameFlags::NOREPLACE) {
        // NFS, for example, accepts no flags and reports `INVAL`.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            create_new(path, FILE_MODE)?;
            fs::rename(copy.path(), path).inspect_err(|_| drop(fs::remove_file(path)))
        }
        renamed => Ok(renamed?),
    }
}

/// Creates the missing folders above `path` durably.
fn make_folder_of(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder_of(path)
        .ancestors()
        .take_while(|folder| !folder.is_dir())
        .collect();
    // From the outermost to the innermost; each name is durable before it is relied on.
    for folder in missing.into_iter().rev() {
        match DirBuilder::new().mode(FOLDER_MODE).create(folder) {
            // Another upload may be creating the same folder.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => created?,
        }
        sync_folder_of(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    pub(super) fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    pub(super) fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn path_is_created_once_and_temporary_files_are_removed() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("images/2026/11/a.png");
        let first = AtomicFile::with_content(data.path(), b"first").unwrap();
        assert!(first.persist_new(&path).unwrap());
        let second = AtomicFile::with_content(data.path(), b"second").unwrap();
        assert!(!second.persist_new(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"first");
        second.replace(&path).unwrap();
        drop(first);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        // Other users of the machine, such as a web server, may read uploads.
        assert_eq!(mode(&path) & 0o400, 0o400);
        assert_eq!(mode(&path) & 0o111, 0);
        assert_eq!(names(data.path()), ["images"]);
    }

    #[test]
    fn link_at_the_path_is_neither_followed_nor_replaced() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join("a.png");
        symlink(data.path().join("elsewhere"), &path).unwrap();
        let file = AtomicFile::with_content(data.path(), b"upload").unwrap();
        assert!(!file.persist_new(&path).unwrap());
        drop(file);
        assert_eq!(names(data.path()), ["a.png"]);
    }

    #[test]
    fn copy_is_whole_or_absent_and_replaces_nothing() {
        let data = tempfile::tempdir().unwrap();
        let (from, path) = (data.path().join("from"), data.path().join("place"));
        fs::write(&from, "all of it").unwrap();
        copy_new(&from, &path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"all of it");
        fs::write(&path, "another").unwrap();
        let refused = copy_new(&from, &path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"another");
        assert!(copy_new(&data.path().join("absent"), &data.path().join("new")).is_err());
        let mut left = names(data.path());
        left.sort();
        assert_eq!(left, ["from", "place"]);
    }

    #[test]
    fn leftovers_of_a_killed_process_are_removed() {
        let data = tempfile::tempdir().unwrap();
        std::mem::forget(AtomicFile::with_content(data.path(), b"half").unwrap());
        // The name used by earlier versions.
        fs::write(data.path().join("waiting-12-0"), "half").unwrap();
        fs::write(data.path().join("galley.redb"), "the store").unwrap();
        clear_abandoned(data.path(), |_| true).unwrap();
        assert_eq!(names(data.path()), ["galley.redb"]);
    }

    #[test]
    fn unnamed_file_leaves_nothing() {
        let data = tempfile::tempdir().unwrap();
        let mut file = unnamed(data.path()).unwrap();
        file.write_all(b"spilled").unwrap();
        assert_eq!(names(data.path()), [""; 0]);
    }
}
