//! Memory that all bodies share, and what is made of them while they are answered.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use thiserror::Error;

/// Bodies of fewer bytes are worked on without asking for memory.
const LITTLE_BYTES: usize = 64 << 10;

/// What work on a body takes beside the body, in bytes for each of its own.
const WORK_GROWTH: usize = 9;

/// Longest body of which all may be worked on that much; documents have no more.
const WORKED_BYTES_MAX: usize = 10 << 20;

/// What work on what is behind that takes, in bytes for each of its own: it is copied once, and not kept.
const REST_GROWTH: usize = 2;

/// Memory that all bodies share. A request never waits for it.
#[derive(Debug)]
pub struct BodyMemory {
    bytes: usize,
    taken: AtomicUsize,
}

/// Others have too much of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("The server is busy, try again in a moment.")]
pub struct Busy;

/// Memory that was taken. Dropping it gives it back.
#[derive(Debug)]
pub struct HeldMemory {
    memory: Arc<BodyMemory>,
    bytes: usize,
}

impl BodyMemory {
    /// This much, in bytes.
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            taken: AtomicUsize::new(0),
        })
    }

    /// Whether more of it is taken than there is.
    pub fn is_overdrawn(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.bytes
    }

    /// A share of nothing yet.
    pub fn hold(self: &Arc<Self>) -> HeldMemory {
        HeldMemory {
            memory: Arc::clone(self),
            bytes: 0,
        }
    }
}

impl HeldMemory {
    /// Takes more.
    ///
    /// # Errors
    ///
    /// `Busy` when others have too much of it.
    pub fn take(&mut self, bytes: usize) -> Result<(), Busy> {
        let memory = &self.memory;
        let room = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= memory.bytes);
        let taken = memory
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        taken.map_err(|_| Busy)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Takes as much more as makes it this much in all.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn take_up_to(&mut self, bytes: usize) -> Result<(), Busy> {
        self.take(bytes.min(self.memory.bytes).saturating_sub(self.bytes))
    }

    /// Takes as much more as makes it this much in all, also what others have: for what is done already and cannot be refused.
    /// What is asked for then finds so much less.
    pub fn overdraw_up_to(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.bytes);
        self.memory.taken.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
    }

    /// Takes what work on a body of so many bytes needs; no more than there is beside that body, so that a body that may be
    /// received can be worked on when there is no other.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn take_for_work(&mut self, body_bytes: usize) -> Result<(), Busy> {
        if body_bytes < LITTLE_BYTES {
            return Ok(());
        }
        let worked = body_bytes.min(WORKED_BYTES_MAX);
        let needed = WORK_GROWTH * worked + REST_GROWTH * (body_bytes - worked);
        self.take(needed.min(self.room_beside(body_bytes)))
    }

    /// How much there is beside a body of so many bytes, when there is no other.
    pub fn room_beside(&self, body_bytes: usize) -> usize {
        self.memory.bytes.saturating_sub(body_bytes)
    }
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        self.memory.taken.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_there_for_others() {
        let memory = BodyMemory::new(100);
        let mut first = memory.hold();
        first.take(60).unwrap();
        assert_eq!(memory.hold().take(41), Err(Busy));
        memory.hold().take(40).unwrap();
        first.take(40).unwrap();
        assert_eq!(memory.hold().take(1), Err(Busy));
        drop(first);
        memory.hold().take(100).unwrap();
    }

    #[test]
    fn work_on_a_body_takes_more_than_the_body() {
        let memory = BodyMemory::new(256 << 20);
        let works = |bodies: usize, body_bytes: usize| -> usize {
            let held = (0..bodies).map(|_| {
                let mut held = memory.hold();
                held.take(body_bytes)?;
                held.take_for_work(body_bytes).map(|()| held)
            });
            held.collect::<Vec<_>>().iter().flatten().count()
        };
        assert_eq!(works(3, 10 << 20), 2);
        assert_eq!(works(2, 50 << 20), 1, "the largest is worked on alone");
        assert_eq!(works(1000, LITTLE_BYTES - 1), 1000);
    }

    #[test]
    fn what_is_held_already_is_not_taken_again() {
        let memory = BodyMemory::new(100);
        let mut held = memory.hold();
        for bytes in [60, 40, 70] {
            held.take_up_to(bytes).unwrap();
        }
        assert_eq!(memory.hold().take(31), Err(Busy));
        memory.hold().take(30).unwrap();
        assert_eq!(memory.hold().take_up_to(31), Err(Busy));
        // The largest of all is worked on alone.
        held.take_up_to(1000).unwrap();
    }

    #[test]
    fn what_cannot_be_refused_is_missing_for_others() {
        let memory = BodyMemory::new(100);
        let mut done = memory.hold();
        done.overdraw_up_to(80);
        done.overdraw_up_to(70);
        assert_eq!(memory.hold().take(21), Err(Busy));
        assert!(!memory.is_overdrawn());
        done.overdraw_up_to(130);
        assert!(memory.is_overdrawn());
        assert_eq!(memory.hold().take(1), Err(Busy));
        drop(done);
        memory.hold().take(100).unwrap();
    }

    #[test]
    fn a_body_that_leaves_little_is_worked_on_when_it_is_alone() {
        let memory = BodyMemory::new(1 << 20);
        let mut held = memory.hold();
        held.take(900 << 10).unwrap();
        held.take_for_work(900 << 10).unwrap();
    }
}
