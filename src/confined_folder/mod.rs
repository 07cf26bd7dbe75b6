//! Folders that other users also write to: paths below them are read and written without leaving them.
//!
//! A [`ConfinedFolder`] is an open folder. Paths below it are resolved from there, by the kernel (`openat2` with
//! `RESOLVE_BENEATH`) or step by step, and no symbolic link is followed. If a path contains links, [`ConfinedFolder::real_path`]
//! decides whether they are followed. It returns the path without links, which is then resolved in the same way. So a link that
//! is created at any moment can make an access fail, but an access never leaves the folder. The same function decides for reading
//! and writing.
//!
//! Files are written, renamed and removed relative to the folder that was opened for them, never by an absolute path.

mod lookup;
mod open_folder;

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{Mode, OFlags, mkdirat},
    io::Errno,
};

use self::lookup::Lookup;
pub use self::open_folder::{OpenFolder, UnfinishedFile};

/// The mode of new folders, before the umask.
const FOLDER_MODE: u32 = 0o777;

/// The mode of a new file.
pub const FILE_MODE: u32 = 0o644;

/// The prefix of the temporary names of files that are being written. Hidden files are not content.
pub const UNFINISHED: &str = ".galley-";

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Opening a pipe must not wait for its other end, and opening a terminal must not make it the controlling terminal.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// A symbolic link that is not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the symbolic link {path} {problem}; it is not followed")]
pub struct RefusedLink {
    /// The path of the link in the folder.
    pub path: String,
    /// The reason.
    pub problem: LinkProblem,
}

/// The reason why a symbolic link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkProblem {
    /// The target is outside of the folder, or hidden in it.
    #[error("points outside the folder or to a hidden file")]
    Outside,
    /// The target does not exist.
    #[error("points to nothing that can be read")]
    Dangling,
    /// The link is part of a cycle.
    #[error("is part of a cycle")]
    Cycle,
    /// The link was created or replaced while it was resolved.
    #[error("is being changed")]
    Changing,
}

impl RefusedLink {
    /// Returns the refused link that caused the failure of an access, if there is one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

/// An open folder in which paths are resolved.
#[derive(Debug)]
pub struct ConfinedFolder {
    path: PathBuf,
    handle: OwnedFd,
    /// Returns whether a name is hidden. Links to hidden names are refused.
    is_hidden: fn(&str) -> bool,
    lookup: Lookup,
}

impl ConfinedFolder {
    /// Opens the folder `path`, whose path may contain links.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        Self::with(path, FOLDER)
    }

    fn with(path: &Path, flags: OFlags) -> io::Result<Self> {
        Ok(Self {
            handle: rustix::fs::open(path, flags, Mode::empty())?,
            path: path.to_owned(),
            is_hidden: |_| false,
            lookup: lookup::by_kernel,
        })
    }

    /// Opens the folder `path`, creating it if it does not exist.
    ///
    /// # Errors
    ///
    /// If it cannot be created or opened.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::open(path)
    }

    /// Creates the folder `path`, which must not exist, and opens it. The folders above it must exist.
    ///
    /// # Errors
    ///
    /// `AlreadyExists`; if it cannot be created or opened.
    pub fn create_new(path: &Path) -> io::Result<Self> {
        fs::create_dir(path)?;
        // Another process may have replaced the new folder by a link meanwhile.
        Self::with(path, FOLDER | OFlags::NOFOLLOW)
    }

    /// Refuses links to files and folders whose names are hidden according to `is_hidden`.
    pub fn hiding(self, is_hidden: fn(&str) -> bool) -> Self {
        Self { is_hidden, ..self }
    }

    /// Returns a handle for the folder itself.
    ///
    /// # Errors
    ///
    /// If the process has too many open files.
    pub fn top(&self) -> io::Result<OpenFolder> {
        Ok(OpenFolder::new(self.handle.try_clone()?))
    }

    /// Opens a regular file to read it.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`]; `NotFound`; if it is not a regular file or cannot be read.
    pub fn open_file(&self, path: &str) -> io::Result<File> {
        regular(self.open_at(Path::new(path), FILE)?)
    }

    /// Opens a regular file for reading, and returns it with its path without links.
    ///
    /// # Errors
    ///
    /// The errors of [`open_file`](Self::open_file).
    pub fn open_real(&self, path: &str) -> io::Result<(File, PathBuf)> {
        check_plain(Path::new(path))?;
        let real = self.real_path(Path::new(path))?;
        let opened = self.open_without_links(&real, FILE)?;
        Ok((regular(opened)?, real))
    }

    /// Returns the content of a file; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The errors of [`open_file`](Self::open_file) except `NotFound`.
    pub fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let mut content = Vec::new();
        let read = self
            .open_file(path)
            .and_then(|mut file| file.read_to_end(&mut content));
        match read {
            Ok(_) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns whether there is a file, folder or link at `path`.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`] in the path of its folder, or if that folder cannot be opened.
    pub fn has(&self, path: &str) -> io::Result<bool> {
        match self.existing_parent(path)? {
            Some((folder, name)) => folder.has(name),
            None => Ok(false),
        }
    }

    /// Returns whether there is a regular file at `path`, possibly reached through links that are followed.
    pub fn is_file(&self, path: &str) -> bool {
        self.open_file(path).is_ok()
    }

    /// Checks that the links in `path` would allow a file there to be read and written.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if a path cannot be resolved.
    pub fn check(&self, path: &str) -> io::Result<()> {
        check_plain(Path::new(path))?;
        self.real_path(Path::new(path)).map(drop)
    }

    /// Returns `path` with its links resolved, relative to the folder, as far as it exists. Only this function decides whether
    /// links are followed.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if a path cannot be resolved.
    pub fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        let top = self.path.canonicalize()?;
        let written = top.join(path);
        let refused = |problem| Err(self.refused(path, problem));
        // Only decides: the result is opened again without following links, so a change in between
        // does no harm.
        match written.canonicalize() {
            Ok(real) => match real.strip_prefix(&top) {
                Ok(below) if !self.is_hidden_target(path, below) => Ok(below.to_owned()),
                _ => refused(LinkProblem::Outside),
            },
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                refused(LinkProblem::Cycle)
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if written.is_symlink() => refused(match fs::read_link(&written) {
                Ok(target) if self.is_outside(&top, &written, &target) => LinkProblem::Outside,
                _ => LinkProblem::Dangling,
            }),
            Err(error) => match (path.parent(), path.file_name()) {
                (Some(parent), Some(name)) => Ok(self.real_path(parent)?.join(name)),
                _ => Err(error),
            },
        }
    }

    /// Returns whether the target of a dangling link, taken literally, is outside of the folder.
    fn is_outside(&self, top: &Path, link: &Path, target: &Path) -> bool {
        let above = link.parent().unwrap_or(top);
        let mut reached = above.canonicalize().unwrap_or_else(|_| above.to_owned());
        for part in target.components() {
            match part {
                Component::ParentDir => drop(reached.pop()),
                Component::CurDir => {}
                part => reached.push(part),
            }
        }
        !reached.starts_with(top)
    }

    /// Returns whether links in `path`, which resolve to `real`, have a hidden target.
    fn is_hidden_target(&self, path: &Path, real: &Path) -> bool {
        let (mut path, mut real) = (path.components(), real.components());
        // The trailing names that both have in common were not reached through a link.
        loop {
            let rest = real.clone();
            match (path.next_back(), real.next_back()) {
                (Some(one), Some(other)) if one == other => {}
                _ => {
                    return rest
                        .into_iter()
                        .any(|name| (self.is_hidden)(&name.as_os_str().to_string_lossy()));
                }
            }
        }
    }

    fn refused(&self, path: &Path, problem: LinkProblem) -> io::Error {
        let is_refused = |link: &Path| {
            link != path && self.path.join(link).is_symlink() && self.real_path(link).is_err()
        };
        let mut above: Vec<&Path> = path.ancestors().collect();
        above.reverse();
        let link = above.into_iter().find(|link| is_refused(link));
        io::Error::other(RefusedLink {
            path: link.unwrap_or(path).to_string_lossy().into_owned(),
            problem,
        })
    }

    /// Opens the file or folder at `path`.
    fn open_at(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        check_plain(path)?;
        match (self.lookup)(self.handle.as_fd(), path, flags) {
            Err(Errno::LOOP) => self.open_without_links(&self.real_path(path)?, flags),
            opened => Ok(opened?),
        }
    }

    /// Opens the file or folder at a path that is expected to contain no links.
    fn open_without_links(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        (self.lookup)(self.handle.as_fd(), path, flags).map_err(|error| match error {
            Errno::LOOP => self.refused(path, LinkProblem::Changing),
            error => error.into(),
        })
    }

    /// Opens the folder above `path`, creating it if it does not exist, and returns it with the file name. If that name is a
    /// link, it is one that may be followed.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if a folder cannot be created or opened.
    pub fn open_parent<'p>(&self, path: &'p str) -> io::Result<(OpenFolder, &'p OsStr)> {
        let (above, name) = split(path)?;
        let folder = OpenFolder::new(self.make_folder(above)?);
        // A link that is not followed must not be replaced either: it may be there on purpose.
        if folder.is_link(name)? {
            self.real_path(Path::new(path))?;
        }
        Ok((folder, name))
    }

    /// Opens the folder above `path`, and returns it with the file name; `None` if the folder does not exist.
    fn existing_parent<'p>(&self, path: &'p str) -> io::Result<Option<(OpenFolder, &'p OsStr)>> {
        let (above, name) = split(path)?;
        match self.open_at(above, FOLDER) {
            Ok(folder) => Ok(Some((OpenFolder::new(folder), name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn make_folder(&self, path: &Path) -> io::Result<OwnedFd> {
        match self.open_at(path, FOLDER) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        if let (Some(above), Some(name)) = (path.parent(), path.file_name()) {
            match mkdirat(self.make_folder(above)?, name, Mode::from(FOLDER_MODE)) {
                // Another process may have just created it, or a link, which is resolved below.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.open_at(path, FOLDER)
    }

    /// Opens a folder, creating it and those above it if they do not exist.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if a folder cannot be created or opened.
    pub fn folder(&self, path: &str) -> io::Result<OpenFolder> {
        self.make_folder(Path::new(path)).map(OpenFolder::new)
    }

    /// Replaces the content of a file, or creates it and its folders. On return, it is completely on disk. An existing file keeps
    /// its permissions, and a link that is followed is replaced by a file.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if the operating system refuses. Then the previous content is still there.
    pub fn replace(&self, path: &str, content: &[u8]) -> io::Result<()> {
        let (folder, name) = self.open_parent(path)?;
        let mode = match self.open_at(Path::new(path), OFlags::PATH | OFlags::CLOEXEC) {
            Ok(known) => rustix::fs::fstat(known)?.st_mode,
            Err(_) => FILE_MODE,
        };
        let mut file = folder.begin_file(UNFINISHED, mode)?;
        file.content().write_all(content)?;
        // Before it gets its name, so that a crash leaves the previous content or the new one.
        file.content().sync_all()?;
        file.finish(&folder, name)?;
        folder.sync()
    }

    /// Removes a file, and its folder if it is then empty. Does nothing if the file does not exist.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`], or if the operating system refuses.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        let Some((folder, name)) = self.existing_parent(path)? else {
            return Ok(());
        };
        if folder.is_link(name)? {
            self.real_path(Path::new(path))?;
        }
        folder.remove(name)?;
        folder.sync()?;
        drop(folder);
        if let Some((above, _)) = path.rsplit_once('/') {
            // It does not matter whether the folder is removed, too.
            let _ = self.remove_empty_folder(above);
        }
        Ok(())
    }

    /// Removes a folder if it is empty, and returns whether it was removed. A link is not removed.
    ///
    /// # Errors
    ///
    /// A [`RefusedLink`] in the path of its parent folder, or if that folder cannot be opened.
    pub fn remove_empty_folder(&self, path: &str) -> io::Result<bool> {
        match self.existing_parent(path)? {
            Some((above, name)) => Ok(above.remove_folder(name).is_ok()),
            None => Ok(false),
        }
    }
}

fn regular(opened: OwnedFd) -> io::Result<File> {
    let file = File::from(opened);
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(Errno::ISDIR.into());
    }
    if !kind.is_file() {
        let message = "it is not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(file)
}

/// Returns the path of the parent folder and the file name.
fn split(path: &str) -> io::Result<(&Path, &OsStr)> {
    let path = Path::new(path);
    check_plain(path)?;
    match (path.parent(), path.file_name()) {
        (Some(above), Some(name)) => Ok((above, name)),
        _ => Err(Errno::INVAL.into()),
    }
}

/// Returns an error for absolute paths and those with `..`.
fn check_plain(path: &Path) -> io::Result<()> {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.components().all(is_plain) {
        Ok(())
    } else {
        let message = format!("{} is not a path in the folder", path.display());
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

#[cfg(test)]
mod tests;
