//! Files that have no name: whatever becomes of the process, nothing of them stays behind.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// They may hold anything that the site keeps.
const MODE: u32 = 0o600;

/// Tells the files of one process apart.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Makes a new file in `folder` whose name is gone again.
///
/// # Errors
///
/// What the operating system says.
pub fn create(folder: &Path) -> io::Result<File> {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("galley-{}-{number}.spill", process::id()));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .mode(MODE)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}
