//! The change feed in memory: the last change of each record, in the order of their numbers.
//!
//! It is bounded. What is forgotten is told by [`ChangeLog::known_since`]: whoever knows less than that begins anew.

use std::sync::Arc;

use imbl::OrdMap;

use crate::domain::change::{Change, Subject};

/// The number that stands before the first change. It is not 0, which means that nothing is known.
const BEGINNING: u64 = 1;

/// The last change of each record. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone)]
pub struct ChangeLog {
    by_number: OrdMap<u64, Arc<Change>>,
    by_subject: OrdMap<Subject, u64>,
    known_since: u64,
}

impl Default for ChangeLog {
    fn default() -> Self {
        Self {
            by_number: OrdMap::new(),
            by_subject: OrdMap::new(),
            known_since: BEGINNING,
        }
    }
}

impl ChangeLog {
    /// The number of the last change.
    pub fn last(&self) -> u64 {
        let last = self.by_number.get_max().map(|(number, _)| *number);
        last.unwrap_or_default().max(self.known_since)
    }

    /// All changes after this number are known.
    pub fn known_since(&self) -> u64 {
        self.known_since
    }

    /// Whether what happened after this number can be told. A number that is yet to come is another store's.
    pub fn knows_since(&self, number: u64) -> bool {
        (self.known_since..=self.last()).contains(&number)
    }

    /// The changes after this number, in order.
    pub fn since(&self, number: u64) -> impl Iterator<Item = &Arc<Change>> {
        let later = self.by_number.range(number.saturating_add(1)..);
        later.map(|(_, change)| change)
    }

    /// The last change of a record.
    pub fn of(&self, subject: Subject) -> Option<&Arc<Change>> {
        self.by_number.get(self.by_subject.get(&subject)?)
    }

    /// The oldest change that is known.
    pub fn oldest(&self) -> Option<&Arc<Change>> {
        self.by_number.get_min().map(|(_, change)| change)
    }

    /// How many changes are known.
    pub fn len(&self) -> usize {
        self.by_number.len()
    }

    /// Whether no change is known.
    pub fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// Adds a change in the place of the one that its record had.
    pub fn put(&mut self, change: Change) {
        if let Some(number) = self.by_subject.insert(change.subject(), change.number) {
            self.by_number.remove(&number);
        }
        self.by_number.insert(change.number, Arc::new(change));
    }

    /// Forgets the change with this number.
    pub fn remove(&mut self, number: u64) {
        if let Some(change) = self.by_number.remove(&number) {
            self.by_subject.remove(&change.subject());
        }
    }

    /// Says that changes up to this number are not known any more.
    pub fn forget_until(&mut self, number: u64) {
        self.known_since = self.known_since.max(number);
    }
}
