//! The work that this process currently leads, for its metrics.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::site::{Liveness, Work};

/// The work that this process currently leads.
#[derive(Debug, Default)]
pub struct LedWork(Mutex<BTreeMap<Work, Option<Arc<Liveness>>>>);

impl LedWork {
    /// Returns whether this process leads some work: its workers run, and as far as this process
    /// knows, no other process can have taken over.
    pub fn has(&self, work: Work) -> bool {
        let found = self.all().get(&work).cloned();
        found.is_some_and(|liveness| liveness.is_none_or(|liveness| liveness.is_alive()))
    }

    /// Adds work that this process leads, in a shared store only while its node is alive.
    pub(super) fn begin(&self, work: Work, liveness: Option<Arc<Liveness>>) {
        self.all().insert(work, liveness);
    }

    /// Removes work that this process no longer leads.
    pub(super) fn end(&self, work: Work) {
        self.all().remove(&work);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Work, Option<Arc<Liveness>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
