//! The shared counts of a store in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{CountChange, SharedCount, SharedCounts, StoreError};

/// The counts of a store in memory by name and key, with the time of the last change of each.
#[derive(Debug, Default)]
pub(super) struct MemoryCounts(Mutex<Counts>);

type Counts = BTreeMap<(Box<str>, Box<str>), (SharedCount, Instant)>;

impl MemoryCounts {
    /// Returns the counts that have not expired.
    fn current(&self) -> MutexGuard<'_, Counts> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.retain(|_, (count, since)| since.elapsed() < count.lifetime);
        counts
    }
}

impl SharedCounts for MemoryCounts {
    fn update(
        &self,
        name: &str,
        key: &str,
        change: &mut dyn FnMut(Option<&[u8]>) -> CountChange,
    ) -> Result<(), StoreError> {
        // Locked while `change` decides, which makes the update atomic.
        let mut counts = self.current();
        let count_key = (name.into(), key.into());
        let state = counts.get(&count_key).map(|(count, _)| &*count.state);
        match change(state) {
            CountChange::Keep => {}
            CountChange::Put(count) => {
                counts.insert(count_key, (count, Instant::now()));
            }
            CountChange::Remove => {
                counts.remove(&count_key);
            }
        }
        Ok(())
    }

    fn waiting(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let counts = self.current();
        let waiting = counts
            .iter()
            .filter(|((of, _), (count, since))| **of == *name && since.elapsed() < count.wait);
        Ok(waiting
            .map(|((_, key), (count, _))| (key.to_string(), count.state.clone()))
            .collect())
    }
}
