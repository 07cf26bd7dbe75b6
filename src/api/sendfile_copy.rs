//! Kernel-side copies of long bodies, sent to sockets by the kernel.
//!
//! Writing a long body to a socket copies it from the program to the kernel, which takes longer
//! than everything else about a cached response. A body that is in the kernel already is sent
//! without that copy (`sendfile`).

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Shortest body for which a copy pays, in bytes: below it, the system calls cost more than
/// copying.
pub const COPIED_BYTES_MIN: usize = 8 * 1024;

/// Most copies at a time, since each is an open file.
pub const COPIES_MAX: usize = 32;

/// The number of copies now.
static COPIES: AtomicUsize = AtomicUsize::new(0);

/// A body in memory of the kernel.
#[derive(Debug)]
pub struct SendfileCopy {
    file: File,
    bytes: usize,
    _slot: Slot,
}

impl SendfileCopy {
    /// Copies `body`; returns `None` if it is too short to pay, if there are too many copies, or if
    /// the system refuses.
    pub fn of(body: &[u8]) -> Option<Self> {
        if body.len() < COPIED_BYTES_MIN {
            return None;
        }
        let slot = Slot::take()?;
        let mut file = memory_file().ok()?;
        file.write_all(body).ok()?;
        Some(Self {
            file,
            bytes: body.len(),
            _slot: slot,
        })
    }

    /// Returns its length, in bytes.
    pub fn length(&self) -> usize {
        self.bytes
    }

    /// Has the kernel send the body from byte `from` on, and returns how many bytes the socket
    /// took.
    ///
    /// # Errors
    ///
    /// If the socket fails; `WouldBlock` if it does not block and is full.
    pub fn send(&self, socket: impl AsFd, from: usize) -> io::Result<usize> {
        let mut offset = from as u64;
        let bytes_left = self.bytes.saturating_sub(from);
        send_file(&socket, &self.file, &mut offset, bytes_left)
    }
}

#[cfg(target_os = "linux")]
fn memory_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    // The git processes that this one starts must not inherit the file.
    Ok(memfd_create("galley-response", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(target_os = "linux")]
fn send_file(socket: impl AsFd, file: &File, offset: &mut u64, bytes: usize) -> io::Result<usize> {
    Ok(rustix::fs::sendfile(socket, file, Some(offset), bytes)?)
}

/// Other systems have no such files, so no copies.
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
        // Relaxed is enough: the count guards no other memory.
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
