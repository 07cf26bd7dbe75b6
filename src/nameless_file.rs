//! Files without a name, which the system removes with the process.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// They may contain any data of the site.
const MODE: u32 = 0o600;

/// Distinguishes the files of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Creates a file in `folder` and removes its name.
///
/// # Errors
///
/// If the operating system refuses.
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
