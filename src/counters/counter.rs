//! A counter of events, which takes no lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only increases.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn one(&self) {
        self.add(1);
    }

    /// Adds `count`.
    pub fn add(&self, count: u64) {
        // Relaxed: the number is only reported, and no other data depends on it.
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
