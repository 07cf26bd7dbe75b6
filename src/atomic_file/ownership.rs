//! The owner of files that root makes in the folder of another user, such as the one that a service runs as.

use std::{fs, fs::File, io, os::unix::fs::MetadataExt, path::Path};

use rustix::{
    fs::{Gid, Uid, fchown},
    process::geteuid,
};

/// Gives a file to the owner of the folder that it is in, if this process is root's: the next process of that user could not open
/// it otherwise. The file must be one that this process has just created, and no other file may have been there: a link could
/// lead elsewhere.
///
/// # Errors
///
/// If the operating system refuses.
pub fn give_to_owner_of(folder: &Path, file: &File) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let folder = fs::metadata(folder)?;
    if folder.uid() == 0 {
        return Ok(());
    }
    let (user, group) = (Uid::from_raw(folder.uid()), Gid::from_raw(folder.gid()));
    Ok(fchown(file, Some(user), Some(group))?)
}
