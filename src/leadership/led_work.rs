//! The work that this process leads now, for its metrics.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::site::{Liveness, Work};

/// The work that this process leads now.
#[derive(Debug, Default)]
pub struct LedWork(Mutex<BTreeMap<Work, Option<Arc<Liveness>>>>);

impl LedWork {
    /// Returns whether this process leads some work: its workers run, and as far as it knows, no
    /// other process may have taken it over.
    pub fn has(&self, work: Work) -> bool {
        let found = self.all().get(&work).cloned();
        found.is_some_and(|liveness| liveness.is_none_or(|liveness| liveness.is_alive()))
    }

    /// Adds work that this process leads as long as its node is alive, if it is one.
    pub(super) fn begin(&self, work: Work, liveness: Option<Arc<Liveness>>) {
        self.all().insert(work, liveness);
    }

    /// Removes work that this process leads no longer.
    pub(super) fn end(&self, work: Work) {
        self.all().remove(&work);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Work, Option<Arc<Liveness>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
