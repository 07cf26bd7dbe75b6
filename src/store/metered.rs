//! A store that measures its commits.

use std::sync::Arc;
use std::time::Instant;

use super::{Batch, Snapshot, Store, StoreError};
use crate::counters::{Counter, Durations};

/// Metrics of a store.
#[derive(Debug, Default)]
pub struct StoreMetrics {
    /// Durations of successful commits.
    pub commits: Durations,
    /// Commits that failed, or whose result is unknown.
    pub failed_commits: Counter,
}

/// A store that measures its commits.
pub struct MeasuredStore<S> {
    store: S,
    metrics: Arc<StoreMetrics>,
}

impl<S: Store> MeasuredStore<S> {
    /// Returns `store` with its commits counted in `metrics`.
    pub fn new(store: S, metrics: Arc<StoreMetrics>) -> Self {
        Self { store, metrics }
    }
}

impl<S: Store> Store for MeasuredStore<S> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.store.snapshot()
    }

    fn batch(&self) -> Batch {
        self.store.batch()
    }

    fn commit_together(&self, batches: &[&Batch]) -> Result<u64, StoreError> {
        let started = Instant::now();
        let committed = self.store.commit_together(batches);
        match committed {
            Ok(_) => self.metrics.commits.add(started.elapsed()),
            // A conflict is no fault of the store.
            Err(StoreError::Conflict(_)) => {}
            Err(_) => self.metrics.failed_commits.one(),
        }
        committed
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }
}
