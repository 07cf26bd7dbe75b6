//! Ownership of files that root creates in a folder of another user, such as the user of a service.

use std::{fs, fs::File, io, os::unix::fs::MetadataExt, path::Path};

use rustix::{
    fs::{Gid, Uid, fchown},
    process::geteuid,
};

/// If this process runs as root, changes the owner of a file to the owner of its folder. Otherwise later processes of that user
/// could not open the file. This process must have just created the file, and no other file may have existed at its path: a link
/// could point elsewhere.
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
