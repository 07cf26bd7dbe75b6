//! Copies of long bodies in memory of the kernel, which it sends to sockets by itself.
//!
//! Writing a long body to a socket copies it from the program to the kernel, which takes longer than all else that a kept
//! answer costs. What the kernel has already, it sends as it is (`sendfile`).

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Shortest body of which a copy pays, in bytes: below it, the calls cost more than the bytes.
pub const COPIED_BYTES_MIN: usize = 8 * 1024;

/// Copies that there are at most at a time, since each is an open file.
pub const COPIES_MAX: usize = 32;

/// The copies that there are.
static COPIES: AtomicUsize = AtomicUsize::new(0);

/// A body that the kernel has.
#[derive(Debug)]
pub struct KernelCopy {
    file: File,
    bytes: usize,
    _counted: Counted,
}

impl KernelCopy {
    /// A copy of `body`; `None` if it is too short to pay, if there are too many copies, or if the system gives none.
    pub fn of(body: &[u8]) -> Option<Self> {
        if body.len() < COPIED_BYTES_MIN {
            return None;
        }
        let counted = Counted::one()?;
        let mut file = nameless_file().ok()?;
        file.write_all(body).ok()?;
        Some(Self {
            file,
            bytes: body.len(),
            _counted: counted,
        })
    }

    /// How long it is, in bytes.
    pub fn length(&self) -> usize {
        self.bytes
    }

    /// Has the kernel send what follows the first `from` bytes, and tells how many bytes the socket took.
    ///
    /// # Errors
    ///
    /// What the socket says; `WouldBlock` if it does not block and is full.
    pub fn send(&self, socket: impl AsFd, from: usize) -> io::Result<usize> {
        let mut offset = from as u64;
        let left = self.bytes.saturating_sub(from);
        send_file(&socket, &self.file, &mut offset, left)
    }
}

#[cfg(target_os = "linux")]
fn nameless_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    Ok(memfd_create("galley-answer", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(target_os = "linux")]
fn send_file(socket: impl AsFd, file: &File, offset: &mut u64, bytes: usize) -> io::Result<usize> {
    Ok(rustix::fs::sendfile(socket, file, Some(offset), bytes)?)
}

/// Elsewhere there are no such files, so there are no copies.
#[cfg(not(target_os = "linux"))]
fn nameless_file() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn send_file(_: impl AsFd, _: &File, _: &mut u64, _: usize) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// One of the copies that there may be.
#[derive(Debug)]
struct Counted;

impl Counted {
    fn one() -> Option<Self> {
        if COPIES.fetch_add(1, Ordering::Relaxed) < COPIES_MAX {
            return Some(Self);
        }
        COPIES.fetch_sub(1, Ordering::Relaxed);
        None
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        COPIES.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Read, os::unix::net::UnixStream, thread};

    use super::*;

    #[test]
    fn what_is_sent_is_the_body_from_there_on() {
        let body: Vec<u8> = (0..COPIED_BYTES_MIN * 4).map(|n| (n % 251) as u8).collect();
        let copy = KernelCopy::of(&body).expect("the body is long enough");
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
        assert!(KernelCopy::of(&[b'a'; COPIED_BYTES_MIN - 1]).is_none());
    }
}
