//! Histograms of durations.

use std::time::Duration;

use crate::counters::counter::Counter;

/// Number of bounds of a histogram.
pub const BOUNDS: usize = 13;

/// The bounds of all histograms, in microseconds and as text in seconds.
pub(super) const BOUNDS_MICROSECONDS: [(u64, &str); BOUNDS] = [
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

/// A histogram of durations.
#[derive(Debug, Default)]
pub struct Durations {
    /// Number of durations up to each bound and above the previous one. The last element counts
    /// those above all bounds.
    counts: [Counter; BOUNDS + 1],
    nanoseconds: Counter,
}

impl Durations {
    /// Counts a duration.
    pub fn add(&self, duration: Duration) {
        let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        // Bounds are inclusive in Prometheus (`le`).
        let index = BOUNDS_MICROSECONDS.partition_point(|(bound, _)| *bound < microseconds);
        self.counts[index].one();
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.add(nanoseconds);
    }
}

/// The sum of several [`Durations`].
#[derive(Clone, Debug, Default)]
pub struct DurationTotals {
    counts: [u64; BOUNDS + 1],
    nanoseconds: u64,
}

impl<'a> FromIterator<&'a Durations> for DurationTotals {
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

impl DurationTotals {
    /// Returns each bound in seconds, as text, with the number of durations up to it. The last
    /// element is the total number.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let bounds = BOUNDS_MICROSECONDS.iter().map(|(_, seconds)| *seconds);
        let mut sum = 0;
        bounds
            .chain(["+Inf"])
            .zip(self.counts)
            .map(move |(bound, count)| {
                // Cumulative, as Prometheus expects; counting into all higher buckets would cost
                // more for each duration.
                sum += count;
                (bound, sum)
            })
    }

    pub(super) fn seconds(&self) -> f64 {
        self.nanoseconds as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_equal_to_a_bound_is_counted_under_it() {
        let (one, other) = (Durations::default(), Durations::default());
        one.add(Duration::from_micros(100));
        one.add(Duration::from_micros(101));
        other.add(Duration::from_secs(60));
        let read: DurationTotals = [&one, &other].into_iter().collect();
        let buckets: Vec<_> = read.buckets().collect();
        assert_eq!(buckets[..2], [("0.0001", 1), ("0.00025", 2)]);
        assert_eq!(buckets[BOUNDS - 1..], [("5", 2), ("+Inf", 3)]);
        assert!((read.seconds() - 60.000_201).abs() < 1e-9);
    }
}
