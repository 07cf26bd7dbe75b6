//! A store whose commits are counted.

use std::sync::Arc;
use std::time::Instant;

use super::{Batch, Snapshot, Store, StoreError};
use crate::figures::{Counter, Durations};

/// What is counted of a store.
#[derive(Debug, Default)]
pub struct StoreFigures {
    /// How long commits took that were made.
    pub commits: Durations,
    /// Commits that were not made, or of which that is not known.
    pub failed_commits: Counter,
}

/// A store whose commits are counted.
pub struct MeasuredStore<S> {
    store: S,
    figures: Arc<StoreFigures>,
}

impl<S: Store> MeasuredStore<S> {
    /// Counts what is done to `store`.
    pub fn new(store: S, figures: Arc<StoreFigures>) -> Self {
        Self { store, figures }
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
        let began = Instant::now();
        let committed = self.store.commit_together(batches);
        match committed {
            Ok(_) => self.figures.commits.add(began.elapsed()),
            // Nothing is wrong with the store when a change was made to something else than it expected.
            Err(StoreError::Conflict(_)) => {}
            Err(_) => self.figures.failed_commits.one(),
        }
        committed
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }
}
