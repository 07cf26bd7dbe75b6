//! The operations of a commit.

use std::collections::BTreeMap;

use crate::store::{Batch, ChangedKeys, Table, batch::BatchValue, recent_commits::KEYS_MAX};

/// The operations of several batches, reduced to the last one for each key.
pub(super) struct Changes<'b>(BTreeMap<(Table, &'b [u8]), Option<BatchValue<'b>>>);

impl<'b> Changes<'b> {
    pub(super) fn of(batches: &[&'b Batch]) -> Self {
        let operations = batches.iter().flat_map(|batch| batch.operations());
        Self(
            operations
                .map(|(table, key, value)| ((table, key), value))
                .collect(),
        )
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Table, &'b [u8], Option<BatchValue<'b>>)> {
        self.0
            .iter()
            .map(|(&(table, key), &value)| (table, key, value))
    }

    /// Returns the keys, or `None` if they are too many.
    pub(super) fn keys(&self, revision: u64) -> Option<ChangedKeys> {
        let keys = self.0.keys().map(|&(table, key)| (table, key.into()));
        (self.0.len() <= KEYS_MAX).then(|| ChangedKeys {
            revision,
            keys: keys.collect(),
        })
    }
}
