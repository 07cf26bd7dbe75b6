//! The memory budget for request bodies and the work on them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use thiserror::Error;

/// Work on bodies with fewer bytes does not count.
const LITTLE_BYTES: usize = 64 << 10;

/// Memory for processing a body in addition to the body, in multiples of its length.
const WORK_GROWTH: usize = 9;

/// Maximum length of the part of a body that counts with [`WORK_GROWTH`]: documents are not longer.
const PARSED_BYTES_MAX: usize = 10 << 20;

/// Memory for work on the bytes after that part, in multiples of their number: they are copied once, but
/// neither parsed nor stored.
const REST_GROWTH: usize = 2;

/// Memory budget that all request bodies share. No request waits for it.
#[derive(Debug)]
pub struct BodyMemory {
    bytes: usize,
    taken: AtomicUsize,
}

/// Other requests have reserved too much of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("The server is busy, try again in a moment.")]
pub struct Busy;

/// A reservation of memory, released on drop.
#[derive(Debug)]
pub struct HeldMemory {
    memory: Arc<BodyMemory>,
    bytes: usize,
}

impl BodyMemory {
    /// Creates a budget of this size, in bytes.
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            taken: AtomicUsize::new(0),
        })
    }

    /// Returns whether more memory is reserved than the budget.
    pub fn is_overdrawn(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.bytes
    }

    /// Returns an empty reservation.
    pub fn hold(self: &Arc<Self>) -> HeldMemory {
        HeldMemory {
            memory: Arc::clone(self),
            bytes: 0,
        }
    }
}

impl HeldMemory {
    /// Reserves further `bytes`.
    ///
    /// # Errors
    ///
    /// `Busy` if other requests have reserved too much.
    pub fn take(&mut self, bytes: usize) -> Result<(), Busy> {
        let memory = &self.memory;
        // Checked and added in one step: if a refused request added its bytes first, smaller
        // requests would be refused meanwhile. Relaxed ordering is enough, because only the sum
        // matters.
        let room = |taken: usize| taken.checked_add(bytes).filter(|all| *all <= memory.bytes);
        let taken = memory
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
        taken.map_err(|_| Busy)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Increases the reservation to `bytes`, but at most to the budget.
    ///
    /// # Errors
    ///
    /// The errors of [`take`](Self::take).
    pub fn take_up_to(&mut self, bytes: usize) -> Result<(), Busy> {
        self.take(bytes.min(self.memory.bytes).saturating_sub(self.bytes))
    }

    /// Increases the reservation to `bytes`, even beyond the budget: for work that is already done and
    /// cannot be refused. Later requests have that much less.
    pub fn overdraw_up_to(&mut self, bytes: usize) {
        let more = bytes.saturating_sub(self.bytes);
        self.memory.taken.fetch_add(more, Ordering::Relaxed);
        self.bytes += more;
    }

    /// Reserves memory for work on a body of `body_bytes` bytes. The reservation is capped at the budget
    /// left beside the body, so that a lone request with any accepted body can be processed.
    ///
    /// # Errors
    ///
    /// The errors of [`take`](Self::take).
    pub fn take_for_work(&mut self, body_bytes: usize) -> Result<(), Busy> {
        if body_bytes < LITTLE_BYTES {
            return Ok(());
        }
        let parsed = body_bytes.min(PARSED_BYTES_MAX);
        let needed = WORK_GROWTH * parsed + REST_GROWTH * (body_bytes - parsed);
        self.take(needed.min(self.room_beside(body_bytes)))
    }

    /// Returns the budget left beside a body of `body_bytes` bytes when there is no other request.
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
    fn returned_memory_is_available_to_others() {
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
    fn processing_a_body_reserves_more_than_its_length() {
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
        assert_eq!(works(2, 50 << 20), 1, "the largest fits alone");
        assert_eq!(works(1000, LITTLE_BYTES - 1), 1000);
    }

    #[test]
    fn reserved_memory_is_not_counted_twice() {
        let memory = BodyMemory::new(100);
        let mut held = memory.hold();
        for bytes in [60, 40, 70] {
            held.take_up_to(bytes).unwrap();
        }
        assert_eq!(memory.hold().take(31), Err(Busy));
        memory.hold().take(30).unwrap();
        assert_eq!(memory.hold().take_up_to(31), Err(Busy));
        // The largest body can be processed when it is alone.
        held.take_up_to(1000).unwrap();
    }

    #[test]
    fn overdrawn_memory_is_unavailable_to_others() {
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
    fn body_that_leaves_little_memory_is_processed_alone() {
        let memory = BodyMemory::new(1 << 20);
        let mut held = memory.hold();
        held.take(900 << 10).unwrap();
        held.take_for_work(900 << 10).unwrap();
    }
}
