//! Kernel-side copies of long bodies, which the kernel sends to sockets.
//!
//! Writing a long body to a socket copies it from the program to the kernel, which takes longer than all
//! other work for a cached response. A body that is already in kernel memory is sent without this copy
//! (`sendfile`).

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Shortest body for which a kernel-side copy is worthwhile, in bytes. For shorter bodies, the system
/// calls cost more than copying.
pub const COPIED_BYTES_MIN: usize = 8 * 1024;

/// Most copies at the same time. They are limited because each is an open file.
pub const COPIES_MAX: usize = 32;

/// The current number of copies.
static COPIES: AtomicUsize = AtomicUsize::new(0);

/// A body in kernel memory.
#[derive(Debug)]
pub struct SendfileCopy {
    file: File,
    bytes: usize,
    _slot: Slot,
}

impl SendfileCopy {
    /// Copies `body`. Returns `None` if it is too short, if there are too many copies, or if the system
    /// refuses.
    pub fn of(body: &[u8]) -> Option<Self> {
        if body.len() < COPIED_BYTES_MIN {
            return None;
        }
        // Taken first, so that an error below releases it again.
        let slot = Slot::take()?;
        let mut file = memory_file().ok()?;
        file.write_all(body).ok()?;
        Some(Self {
            file,
            bytes: body.len(),
            _slot: slot,
        })
    }

    /// Returns the length of the body, in bytes.
    pub fn length(&self) -> usize {
        self.bytes
    }

    /// Sends the body from the byte offset `from` on, and returns the number of bytes that the socket
    /// accepted.
    ///
    /// # Errors
    ///
    /// If the socket fails; `WouldBlock` if a non-blocking socket is full.
    pub fn send(&self, socket: impl AsFd, from: usize) -> io::Result<usize> {
        let mut offset = from as u64;
        let bytes_left = self.bytes.saturating_sub(from);
        send_file(&socket, &self.file, &mut offset, bytes_left)
    }
}

#[cfg(target_os = "linux")]
fn memory_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    // Child processes, such as git, must not inherit the file.
    Ok(memfd_create("galley-response", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(target_os = "linux")]
fn send_file(socket: impl AsFd, file: &File, offset: &mut u64, bytes: usize) -> io::Result<usize> {
    Ok(rustix::fs::sendfile(socket, file, Some(offset), bytes)?)
}

/// Other systems do not support memory files, so there are no copies.
#[cfg(not(target_os = "linux"))]
fn memory_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn send_file(_: impl AsFd, _: &File, _: &mut u64, _: usize) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// One of the [`COPIES_MAX`] slots.
#[derive(Debug)]
struct Slot;

impl Slot {
    fn take() -> Option<Self> {
        // `Relaxed` suffices: the count does not guard other memory.
        if COPIES.fetch_add(1, Ordering::Relaxed) < COPIES_MAX {
            return Some(Self);
        }
        COPIES.fetch_sub(1, Ordering::Relaxed);
        None
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        COPIES.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Read, os::unix::net::UnixStream, thread};

    use super::*;

    #[test]
    fn sends_the_body_from_the_offset() {
        let body: Vec<u8> = (0..COPIED_BYTES_MIN * 4).map(|n| (n % 251) as u8).collect();
        let copy = SendfileCopy::of(&body).expect("the body is long enough");
        let (here, mut there) = UnixStream::pair().unwrap();
        let reader = thread::spawn(move || {
            let mut received = Vec::new();
            there.read_to_end(&mut received).unwrap();
            received
        });
        let mut from = 1000;
        while from < body.len() {
            from += copy.send(&here, from).unwrap();
        }
        drop(here);
        assert_eq!(reader.join().unwrap(), body[1000..]);
    }

    #[test]
    fn short_bodies_are_not_copied() {
        assert!(SendfileCopy::of(&[b'a'; COPIED_BYTES_MIN - 1]).is_none());
    }
}
