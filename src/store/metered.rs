//! A store that measures its commits.

use std::sync::Arc;
use std::time::Instant;

use super::{
    Batch, ChangedKeys, CommitWaiter, Nodes, SharedCounts, Snapshot, Store, StoreError, Writer,
};
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
pub struct MeasuredStore {
    store: Box<dyn Store>,
    metrics: Arc<StoreMetrics>,
}

impl MeasuredStore {
    /// Returns `store` with its commits measured in `metrics`.
    pub fn new(store: Box<dyn Store>, metrics: Arc<StoreMetrics>) -> Self {
        Self { store, metrics }
    }
}

impl Store for MeasuredStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.store.snapshot()
    }

    // Passed on explicitly: the default of the trait would send a request to the database.
    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.store.local_snapshot()
    }

    fn batch(&self) -> Batch {
        self.store.batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        Ok(Box::new(MeasuredWriter {
            writer: self.store.writer()?,
            metrics: &self.metrics,
        }))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.store.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }

    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        self.store.known_size_bytes()
    }

    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        self.store.shared_counts()
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        self.store.nodes()
    }

    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        self.store.commits_of_others()
    }
}

struct MeasuredWriter<'s> {
    writer: Box<dyn Writer + 's>,
    metrics: &'s StoreMetrics,
}

impl Writer for MeasuredWriter<'_> {
    fn revision(&self) -> u64 {
        self.writer.revision()
    }

    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError> {
        let started = Instant::now();
        let committed = self.writer.commit(batches);
        match committed {
            Ok(_) => self.metrics.commits.add(started.elapsed()),
            Err(_) => self.metrics.failed_commits.one(),
        }
        committed
    }
}
