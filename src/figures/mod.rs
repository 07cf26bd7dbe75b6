//! What the program counts about itself, and how that is told to those who watch it.
//!
//! Counting is one addition to a number in memory, by whoever does what is counted: it takes no lock, allocates nothing and
//! waits for nobody. Only who reads the numbers puts them together.

mod exposition;
mod process;

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

pub use exposition::{CONTENT_TYPE, Family, FamilyKind, Page};
pub use process::Process;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts one more.
    pub fn one(&self) {
        self.add(1);
    }

    /// Counts so many more.
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// How many were counted.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many bounds a histogram has.
pub const BOUNDS: usize = 13;

/// The bounds of all histograms, in microseconds, and as they are told, in seconds.
const BOUNDS_MICROSECONDS: [(u64, &str); BOUNDS] = [
    (100, "0.0001"),
    (250, "0.00025"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (1_000_000, "1"),
    (5_000_000, "5"),
];

/// How long things took.
#[derive(Debug, Default)]
pub struct Durations {
    /// How many took no longer than each bound, and longer than the one before; the last is for those over all bounds.
    counts: [Counter; BOUNDS + 1],
    nanoseconds: Counter,
}

impl Durations {
    /// Counts something that took so long.
    pub fn add(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let place = BOUNDS_MICROSECONDS.partition_point(|(bound, _)| *bound < microseconds);
        self.counts[place].one();
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.add(nanoseconds);
    }
}

/// What several [`Durations`] say together.
#[derive(Clone, Debug, Default)]
pub struct DurationsRead {
    counts: [u64; BOUNDS + 1],
    nanoseconds: u64,
}

impl<'a> FromIterator<&'a Durations> for DurationsRead {
    fn from_iter<I: IntoIterator<Item = &'a Durations>>(all: I) -> Self {
        let mut read = Self::default();
        for durations in all {
            for (sum, counter) in read.counts.iter_mut().zip(&durations.counts) {
                *sum += counter.get();
            }
            read.nanoseconds += durations.nanoseconds.get();
        }
        read
    }
}

impl DurationsRead {
    /// Each bound in seconds, as it is told, with how many took no longer; the last is all of them.
    fn buckets(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let bounds = BOUNDS_MICROSECONDS.iter().map(|(_, told)| *told);
        let mut sum = 0;
        bounds
            .chain(["+Inf"])
            .zip(self.counts)
            .map(move |(bound, count)| {
                sum += count;
                (bound, sum)
            })
    }

    fn seconds(&self) -> f64 {
        self.nanoseconds as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_took_exactly_as_long_as_a_bound_is_counted_under_it() {
        let (one, other) = (Durations::default(), Durations::default());
        one.add(Duration::from_micros(100));
        one.add(Duration::from_micros(101));
        other.add(Duration::from_secs(60));
        let read: DurationsRead = [&one, &other].into_iter().collect();
        let buckets: Vec<_> = read.buckets().collect();
        assert_eq!(buckets[..2], [("0.0001", 1), ("0.00025", 2)]);
        assert_eq!(buckets[BOUNDS - 1..], [("5", 2), ("+Inf", 3)]);
        assert!((read.seconds() - 60.000_201).abs() < 1e-9);
    }
}
