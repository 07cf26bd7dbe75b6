//! What one commit changes, and what must hold for it to happen.
//!
//! A batch is plain data: building one touches no store. Its expectations are checked against the
//! state before the batch, all of them, before anything of it is written.

use std::collections::BTreeMap;
use std::fmt;

use super::Table;

/// Puts, deletes and expectations that are committed together.
///
/// A later operation on the same key replaces an earlier one. Expectations add up: all must hold.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The value to put under each key, or `None` to delete it. In the order of the store, which
    /// is the cheapest to write.
    operations: BTreeMap<(Table, Vec<u8>), Option<Vec<u8>>>,
    expectations: Vec<(Table, Vec<u8>, Expectation)>,
}

/// What a commit requires of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing is stored under the key.
    Absent,
    /// The record was last written by the commit of this number.
    At(u64),
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} \"{}\" was expected {expected}, but is {}", .table.name(), .key.escape_ascii(), Found(*.found))]
pub struct Conflict {
    /// The table that was asked.
    pub table: Table,
    /// The key that was asked for.
    pub key: Vec<u8>,
    /// What the batch expected.
    pub expected: Expectation,
    /// The revision of the record that is there, or `None` if there is none.
    pub found: Option<u64>,
}

impl Batch {
    /// Returns a batch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores `value` under `key`, whether or not there is a record.
    pub fn put(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.operations
            .insert((table, key.into()), Some(value.into()));
        self
    }

    /// Removes what is under `key`, if anything.
    pub fn delete(&mut self, table: Table, key: impl Into<Vec<u8>>) -> &mut Self {
        self.operations.insert((table, key.into()), None);
        self
    }

    /// Makes the whole batch depend on what is under `key` before it.
    pub fn expect(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        expected: Expectation,
    ) -> &mut Self {
        self.expectations.push((table, key.into(), expected));
        self
    }

    /// Returns the value that the batch puts under `key`, `Some(None)` if it deletes what is there, and `None` if it does
    /// neither.
    pub fn change_of(&self, table: Table, key: &[u8]) -> Option<Option<&[u8]>> {
        let value = self.operations.get(&(table, key.to_vec()))?;
        Some(value.as_deref())
    }

    /// Returns whether the batch changes nothing. Committing it would still make a new revision.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the operations in ascending order of table and key; a value of `None` deletes.
    pub(super) fn operations(&self) -> impl Iterator<Item = (Table, &[u8], Option<&[u8]>)> {
        self.operations
            .iter()
            .map(|((table, key), value)| (*table, key.as_slice(), value.as_deref()))
    }

    /// Returns the first expectation that does not hold, given the revision found under each key.
    pub(super) fn conflict<E>(
        &self,
        mut revision_of: impl FnMut(Table, &[u8]) -> Result<Option<u64>, E>,
    ) -> Result<Option<Conflict>, E> {
        for (table, key, expected) in &self.expectations {
            let found = revision_of(*table, key)?;
            if !expected.holds(found) {
                return Ok(Some(Conflict {
                    table: *table,
                    key: key.clone(),
                    expected: *expected,
                    found,
                }));
            }
        }
        Ok(None)
    }
}

impl Expectation {
    fn holds(self, found: Option<u64>) -> bool {
        match self {
            Expectation::Absent => found.is_none(),
            Expectation::At(revision) => found == Some(revision),
        }
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expectation::Absent => Found(None).fmt(formatter),
            Expectation::At(revision) => Found(Some(*revision)).fmt(formatter),
        }
    }
}

/// A revision or the lack of one, in words.
struct Found(Option<u64>);

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str("absent"),
            Some(revision) => write!(formatter, "at revision {revision}"),
        }
    }
}
