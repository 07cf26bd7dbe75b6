//! Resolves a path below an open folder without following symbolic links.

use std::{
    ffi::OsStr,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat},
    io::{Errno, Result},
};

/// Opens a path below a folder; an empty path opens the folder. Returns `LOOP` if the path contains a symbolic
/// link.
pub type Lookup = fn(BorrowedFd<'_>, &Path, OFlags) -> Result<OwnedFd>;

/// Resolves a path in a single system call, in which the kernel confines it to the folder.
pub fn by_kernel(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    // Magic links are those in `/proc`, which lead anywhere without being resolved as a path.
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, or_itself(path), flags, Mode::empty(), how) {
        // Linux before 5.6, and containers whose system call filter does not know the call. Any other cause occurs
        // again.
        Err(Errno::NOSYS | Errno::PERM) => by_steps(folder, path, flags),
        opened => opened,
    }
}

/// Resolves a path one name at a time, each in the folder opened before.
pub fn by_steps(folder: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let mut reached: Option<OwnedFd> = None;
    let mut names = path.iter().filter(|name| *name != ".").peekable();
    while let Some(name) = names.next() {
        let above = reached.as_ref().map_or(folder, AsFd::as_fd);
        if names.peek().is_none() {
            return step(above, name, flags);
        }
        let next = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        reached = Some(step(above, name, next)?);
    }
    // Reached only by an empty path.
    openat(folder, ".", flags, Mode::empty())
}

fn step(folder: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> Result<OwnedFd> {
    let opened = openat(folder, name, flags | OFlags::NOFOLLOW, Mode::empty());
    match opened {
        // For a link, the kernel may report that it is not a folder instead of a link.
        Err(Errno::NOTDIR) if is_link(folder, name)? => Err(Errno::LOOP),
        // With `PATH`, the link itself is opened.
        Ok(opened) if flags.contains(OFlags::PATH) && is_link_itself(&opened)? => Err(Errno::LOOP),
        opened => opened,
    }
}

/// Returns whether the entry `name` of a folder is a symbolic link.
pub fn is_link(folder: BorrowedFd<'_>, name: &OsStr) -> Result<bool> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(FileType::from_raw_mode(found.st_mode) == FileType::Symlink),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_link_itself(opened: &OwnedFd) -> Result<bool> {
    let found = rustix::fs::fstat(opened)?;
    Ok(FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

fn or_itself(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}
