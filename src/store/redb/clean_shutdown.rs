//! A mark on the store's file that lets the next start skip verification if the file has not been
//! written to since.
//!
//! Verifying a store reads all of it, which takes a second for each gigabyte. Verification finds a file
//! that was truncated, altered, exchanged or partly copied. Such a file was written by another program,
//! so it has a different inode or modification time than when it was closed. When a process is killed, redb
//! knows that the file was not closed and verifies it automatically. When the machine crashes, writes
//! that the disk reported as flushed may be lost; the machine then has a different boot identifier. So a
//! file is trusted without verification if this program verified, closed and flushed it, the machine
//! has not been restarted since, and the inode, length and modification time of the file are unchanged.
//!
//! The remaining risk is a disk that returns bytes other than those written, and a process that writes
//! to the file while this program has it open, or resets its modification time. Reading the affected
//! pages or records then fails, and the whole file is verified after a restart of the machine.
//!
//! The mark is an extended attribute of the file, so no extra file can be left behind. On a file
//! system without attributes, every start verifies.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::Duration,
};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

/// Name of the attribute that contains the mark.
const MARK_ATTRIBUTE: &str = "user.galley.closed";

/// Maximum length of a mark, in bytes.
const MARK_BYTES_MAX: usize = 256;

/// File in which Linux reports the identifier of the current boot. If it is missing, every start
/// verifies the file.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// Returns whether the file at `path` is unchanged since it was marked.
pub(super) fn is_unchanged_since_mark(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| has_valid_mark(&file))
}

/// Marks the file at `path`, which has been verified and closed. If that fails, the next start verifies
/// the file.
pub(super) fn mark(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).read(true).open(path)?;
    // Nothing was written since: the file keeps its time, and no flush is needed.
    if has_valid_mark(&file) {
        return Ok(());
    }
    // Writes within a few milliseconds can get the same modification time. The time is shifted slightly
    // here, so that a later write gets another one.
    file.set_modified(file.metadata()?.modified()? + Duration::from_nanos(1))?;
    file.sync_all()?;
    write_mark(&file, &fingerprint(&file.metadata()?)?)
}

/// Makes the next start verify the file at `path`.
pub(super) fn invalidate_mark(path: &Path) -> io::Result<()> {
    write_mark(&File::open(path)?, "")
}

/// Returns whether the mark of the file is the fingerprint of its current state.
fn has_valid_mark(file: &File) -> bool {
    let mut mark = [0; MARK_BYTES_MAX];
    let fingerprint = file.metadata().and_then(|metadata| fingerprint(&metadata));
    match (fgetxattr(file, MARK_ATTRIBUTE, &mut mark), fingerprint) {
        (Ok(length), Ok(fingerprint)) => mark[..length] == *fingerprint.as_bytes(),
        _ => false,
    }
}

fn write_mark(file: &File, mark: &str) -> io::Result<()> {
    Ok(fsetxattr(
        file,
        MARK_ATTRIBUTE,
        mark.as_bytes(),
        XattrFlags::empty(),
    )?)
}

/// Returns a text that changes after any write to the file, an exchange of the file or a restart of the
/// machine.
fn fingerprint(file: &Metadata) -> io::Result<String> {
    let boot = fs::read_to_string(BOOT_ID_FILE)?;
    let (device, inode, bytes) = (file.dev(), file.ino(), file.len());
    let (seconds, nanoseconds) = (file.mtime(), file.mtime_nsec());
    let boot = boot.trim();
    Ok(format!(
        "{boot} {device} {inode} {bytes} {seconds}.{nanoseconds:09}"
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    fn marked_file() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("galley.redb");
        fs::write(&path, "a store").unwrap();
        mark(&path).unwrap();
        (folder, path)
    }

    #[test]
    fn mark_is_valid_until_the_file_is_written() {
        let (_folder, path) = marked_file();
        assert!(is_unchanged_since_mark(&path));
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(b"A", 0).unwrap();
        assert!(!is_unchanged_since_mark(&path));
    }

    #[test]
    fn mark_is_invalid_for_a_replaced_file() {
        let (_folder, path) = marked_file();
        let copy = path.with_added_extension("copy");
        let file = File::open(&path).unwrap();
        let mark = fingerprint(&file.metadata().unwrap()).unwrap();
        fs::write(&copy, "b store").unwrap();
        let other = File::options().write(true).open(&copy).unwrap();
        other
            .set_modified(file.metadata().unwrap().modified().unwrap())
            .unwrap();
        write_mark(&other, &mark).unwrap();
        fs::rename(&copy, &path).unwrap();
        assert!(!is_unchanged_since_mark(&path));
    }

    #[test]
    fn invalidated_mark_is_invalid() {
        let (_folder, path) = marked_file();
        invalidate_mark(&path).unwrap();
        assert!(!is_unchanged_since_mark(&path));
    }
}
