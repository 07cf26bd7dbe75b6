//! Limits the number of bodies that are compressed concurrently.
//!
//! Compression keeps a processor busy and takes several megabytes in addition to the body. More concurrent
//! compressions than processors would increase memory use without increasing throughput.

use std::{
    sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
};

/// The permits of this machine: one for each processor.
pub static COMPRESSION_PERMITS: LazyLock<CompressionPermits> = LazyLock::new(|| {
    CompressionPermits::new(thread::available_parallelism().map_or(1, usize::from))
});

/// Compression permits. A thread waits for a free permit before it compresses.
pub struct CompressionPermits {
    free: Mutex<usize>,
    freed: Condvar,
}

/// One permit, released when dropped.
pub struct CompressionPermit<'a>(&'a CompressionPermits);

impl CompressionPermits {
    fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count),
            freed: Condvar::new(),
        }
    }

    /// Waits for a free permit.
    pub fn take(&self) -> CompressionPermit<'_> {
        // `wait_while` checks the count again after each wake-up: another thread may have taken the
        // permit first.
        let free = self.freed.wait_while(self.free(), |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        CompressionPermit(self)
    }

    /// Locks the count of free permits, which remains valid after a panic.
    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CompressionPermit<'_> {
    fn drop(&mut self) {
        // The lock is released at the end of this statement, so that the thread that is notified
        // does not block on it again.
        *self.0.free() += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn no_more_compressions_at_a_time_than_permits() {
        let permits = CompressionPermits::new(2);
        let (working, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _permit = permits.take();
                        let now = working.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        thread::yield_now();
                        working.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
    }
}
