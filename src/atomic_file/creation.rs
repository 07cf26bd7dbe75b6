//! Creates new files, and makes their directory entries durable.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Output files may contain e-mail addresses and password hashes, so only their owner may read
/// them.
pub(super) const OUTPUT_MODE: u32 = 0o600;

/// Creates a file that must not exist; a link at `path` is not followed.
pub(super) fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create_new(true);
    options.mode(mode).open(path)
}

/// Makes the name of a file or folder durable.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
