//! How a store's file was left: a note on the file, by which the next start knows that nobody wrote to it since.
//!
//! Verifying a store reads all of it, which takes a second for each gigabyte. What that finds is a file that was cut off,
//! altered, exchanged, or copied by half: somebody wrote it, and so it is another file or has another time than when it was
//! closed. A process that was killed leaves a file that redb knows not to be closed, and verifies by itself. And a machine
//! that went down may have lost what its disk said was flushed: it comes back under another name. So a file is taken as
//! whole without being verified if this program had verified it, closed it and flushed it, the machine has been up since, and
//! the file has the number, the length and the time that it had then.
//!
//! What remains is a disk that gives back other bytes than were written to it, and somebody who writes to the file while
//! this program has it open, or sets its time back. Pages that are read then tell, or the records in them do; and all of it
//! is verified when the machine was started anew.
//!
//! The note is an attribute of the file, so it is no file of its own that could be left behind. Where a file system has none,
//! every start verifies.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::Duration,
};

use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};

/// The attribute that holds the note.
const NOTE: &str = "user.galley.closed";

/// Longest note that is read, in bytes.
const NOTE_BYTES_MAX: usize = 256;

/// Where Linux tells the name of the time since the machine was started. Where there is none, every start verifies.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// Whether the file at `path` is as it was when it was noted.
pub(super) fn is_as_noted(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| holds(&file))
}

/// Notes how the file at `path` is, which was verified and is closed. If that fails, the next start verifies it.
pub(super) fn note(path: &Path) -> io::Result<()> {
    let file = File::options().write(true).read(true).open(path)?;
    if holds(&file) {
        return Ok(());
    }
    // Writes within some milliseconds get the same time. This one is moved a little, so one that comes at once has another.
    file.set_modified(file.metadata()?.modified()? + Duration::from_nanos(1))?;
    file.sync_all()?;
    write(&file, &facts(&file.metadata()?)?)
}

/// Has the next start verify the file at `path`.
pub(super) fn forget(path: &Path) -> io::Result<()> {
    write(&File::open(path)?, "")
}

fn holds(file: &File) -> bool {
    let mut noted = [0; NOTE_BYTES_MAX];
    let facts = file.metadata().and_then(|metadata| facts(&metadata));
    match (fgetxattr(file, NOTE, &mut noted), facts) {
        (Ok(length), Ok(facts)) => noted[..length] == *facts.as_bytes(),
        _ => false,
    }
}

fn write(file: &File, text: &str) -> io::Result<()> {
    Ok(fsetxattr(file, NOTE, text.as_bytes(), XattrFlags::empty())?)
}

/// What is another after anybody wrote to the file, put another one in its place, or started the machine anew.
fn facts(file: &Metadata) -> io::Result<String> {
    let boot = fs::read_to_string(BOOT)?;
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

    fn noted() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("galley.redb");
        fs::write(&path, "a store").unwrap();
        note(&path).unwrap();
        (folder, path)
    }

    #[test]
    fn a_note_holds_until_somebody_writes_to_the_file() {
        let (_folder, path) = noted();
        assert!(is_as_noted(&path));
        let file = File::options().write(true).open(&path).unwrap();
        file.write_all_at(b"A", 0).unwrap();
        assert!(!is_as_noted(&path));
    }

    #[test]
    fn a_note_tells_of_no_other_file_in_that_place() {
        let (_folder, path) = noted();
        let copy = path.with_added_extension("copy");
        let file = File::open(&path).unwrap();
        let note = facts(&file.metadata().unwrap()).unwrap();
        fs::write(&copy, "b store").unwrap();
        let other = File::options().write(true).open(&copy).unwrap();
        other
            .set_modified(file.metadata().unwrap().modified().unwrap())
            .unwrap();
        write(&other, &note).unwrap();
        fs::rename(&copy, &path).unwrap();
        assert!(!is_as_noted(&path));
    }

    #[test]
    fn a_note_that_is_withdrawn_does_not_hold() {
        let (_folder, path) = noted();
        forget(&path).unwrap();
        assert!(!is_as_noted(&path));
    }
}
