//! Limits the memory that images may take at the same time.

use std::{
    collections::BTreeSet,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::ImageError;

/// Longest wait for memory that is reserved by others.
const WAIT: Duration = Duration::from_secs(10);

/// The memory for images. Work on an image reserves the memory that it needs and releases it
/// afterwards. If there is too little, requests wait and are granted in order of arrival.
#[derive(Debug)]
pub struct Memory {
    bytes: u64,
    state: Mutex<MemoryState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct MemoryState {
    taken: u64,
    /// Waiting requests, by number; the lowest is next.
    waiting: BTreeSet<u64>,
    next: u64,
}

/// A reservation of memory, returned on drop.
#[derive(Debug)]
pub struct MemoryReservation<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Memory {
    /// Creates a pool of this size, in bytes.
    pub fn new(bytes: u64) -> Self {
        Self {
            bytes,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Reserves `bytes` of memory, waiting up to 10 seconds.
    ///
    /// # Errors
    ///
    /// `NeedsMemory` if `bytes` exceeds the size of the pool, `Busy` if others hold the memory for
    /// too long.
    pub fn take(&self, bytes: u64) -> Result<MemoryReservation<'_>, ImageError> {
        self.take_within(bytes, WAIT)
    }

    fn take_within(&self, bytes: u64, wait: Duration) -> Result<MemoryReservation<'_>, ImageError> {
        if bytes > self.bytes {
            return Err(ImageError::NeedsMemory {
                needed: bytes,
                allowed: self.bytes,
            });
        }
        let until = Instant::now() + wait;
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.waiting.insert(number);
        // Requests are granted in order: otherwise small images would overtake a large one for as
        // long as any arrive.
        while state.waiting.first() != Some(&number) || state.taken + bytes > self.bytes {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                state.waiting.remove(&number);
                // The next request may have been waiting only for its turn.
                self.changed.notify_all();
                return Err(ImageError::Busy);
            }
            let waited = self.changed.wait_timeout(state, remaining);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.remove(&number);
        state.taken += bytes;
        // The remaining memory may be enough for the next request.
        self.changed.notify_all();
        Ok(MemoryReservation {
            memory: self,
            bytes,
        })
    }

    /// Locks the state. It contains only numbers, so it is valid even after a panic.
    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        self.memory.state().taken -= self.bytes;
        // All, because only the first request can continue, and `notify_one` may wake another.
        self.memory.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn request_over_the_whole_memory_is_refused_immediately() {
        let memory = Memory::new(100);
        let refused = memory.take(101).unwrap_err();
        assert!(matches!(
            refused,
            ImageError::NeedsMemory {
                needed: 101,
                allowed: 100
            }
        ));
    }

    #[test]
    fn request_that_times_out_is_refused_and_reserves_nothing() {
        let memory = Memory::new(100);
        let held = memory.take(60).unwrap();
        let refused = memory.take_within(50, Duration::from_millis(5));
        assert!(matches!(refused, Err(ImageError::Busy)));
        drop(held);
        memory.take_within(100, Duration::ZERO).unwrap();
    }

    #[test]
    fn memory_is_never_exceeded_and_every_request_is_served() {
        let memory = Memory::new(100);
        let taken = AtomicU64::new(0);
        thread::scope(|scope| {
            for number in 0..16_u64 {
                let (memory, taken) = (&memory, &taken);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let bytes = 1 + number * 6;
                        let _held = memory.take(bytes).unwrap();
                        assert!(taken.fetch_add(bytes, Ordering::SeqCst) + bytes <= 100);
                        thread::yield_now();
                        taken.fetch_sub(bytes, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
