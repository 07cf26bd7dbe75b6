//! The change feed in memory: the last change of each record, ordered by number.
//!
//! The feed is bounded. [`ChangeLog::complete_since`] returns the number up to which changes have
//! been deleted; a client with an older copy has to start over.

use std::sync::Arc;

use imbl::OrdMap;

use crate::domain::change::{Change, ChangedRecord};

/// Number before the first change. Not 0, because 0 means a client without a copy.
const BEGINNING: u64 = 1;

/// The last change of each record. Cloning is cheap; a change copies only the path to the changed
/// records.
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
        // After all changes have been deleted, the feed is empty, but its number must not go back:
        // clients hold it.
        let last = self.by_number.get_max().map(|(number, _)| *number);
        last.unwrap_or_default().max(self.complete_since)
    }

    /// Returns the number after which the feed is complete.
    pub fn complete_since(&self) -> u64 {
        self.complete_since
    }

    /// Returns whether the feed is complete after this number. It is not for a number that has not
    /// been used yet, which comes from another store.
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

    /// Returns the oldest change in the feed.
    pub fn oldest(&self) -> Option<&Arc<Change>> {
        self.by_number.get_min().map(|(_, change)| change)
    }

    /// Returns the number of changes in the feed.
    pub fn len(&self) -> usize {
        self.by_number.len()
    }

    /// Returns whether the feed is empty.
    pub fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// Adds a change, replacing the previous change of the same record.
    pub fn put(&mut self, change: Change) {
        // Only the last change of a record is of use to a client, so the feed has at most one entry
        // per record.
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
