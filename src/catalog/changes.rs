//! The change feed in memory: the last change of each record, ordered by number.
//!
//! The feed is bounded. [`ChangeLog::complete_since`] says up to where changes were deleted: a client
//! with an older copy starts again.

use std::sync::Arc;

use imbl::OrdMap;

use crate::domain::change::{Change, ChangedRecord};

/// Number before the first change. It is not 0, which is for a client without a copy.
const BEGINNING: u64 = 1;

/// The last change of each record. Cloning it costs nothing; a change copies the path to the records that
/// changed.
#[derive(Clone)]
pub struct ChangeLog {
    by_number: OrdMap<u64, Arc<Change>>,
    by_subject: OrdMap<ChangedRecord, u64>,
    complete_since: u64,
}

impl Default for ChangeLog {
    fn default() -> Self {
        Self {
            by_number: OrdMap::new(),
            by_subject: OrdMap::new(),
            complete_since: BEGINNING,
        }
    }
}

impl ChangeLog {
    /// Returns the number of the last change.
    pub fn last(&self) -> u64 {
        let last = self.by_number.get_max().map(|(number, _)| *number);
        last.unwrap_or_default().max(self.complete_since)
    }

    /// Returns the number after which all changes are known.
    pub fn complete_since(&self) -> u64 {
        self.complete_since
    }

    /// Returns whether the changes after this number are known. A number that is not yet used comes
    /// from another store.
    pub fn is_complete_since(&self, number: u64) -> bool {
        (self.complete_since..=self.last()).contains(&number)
    }

    /// Returns the changes after this number, in order.
    pub fn since(&self, number: u64) -> impl Iterator<Item = &Arc<Change>> {
        let later = self.by_number.range(number.saturating_add(1)..);
        later.map(|(_, change)| change)
    }

    /// Returns the last change of a record.
    pub fn of(&self, subject: ChangedRecord) -> Option<&Arc<Change>> {
        self.by_number.get(self.by_subject.get(&subject)?)
    }

    /// Returns the oldest change that is known.
    pub fn oldest(&self) -> Option<&Arc<Change>> {
        self.by_number.get_min().map(|(_, change)| change)
    }

    /// Returns how many changes are known.
    pub fn len(&self) -> usize {
        self.by_number.len()
    }

    /// Returns whether no change is known.
    pub fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// Adds a change in place of the previous one of its record.
    pub fn put(&mut self, change: Change) {
        if let Some(number) = self.by_subject.insert(change.subject(), change.number) {
            self.by_number.remove(&number);
        }
        self.by_number.insert(change.number, Arc::new(change));
    }

    /// Removes the change with this number.
    pub fn remove(&mut self, number: u64) {
        if let Some(change) = self.by_number.remove(&number) {
            self.by_subject.remove(&change.subject());
        }
    }

    /// Marks the changes up to this number as deleted.
    pub fn forget_until(&mut self, number: u64) {
        self.complete_since = self.complete_since.max(number);
    }
}
