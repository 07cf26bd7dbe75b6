//! A batch: the changes of one commit, and what they require.
//!
//! A batch is plain data: building one touches no store. Its expectations are all checked against
//! the state before the batch, before any of it is written. The values of a large batch are spilled
//! to a file, so that a change of any size takes little memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::spill::{Spill, SpilledValue};
use super::{Keys, StoreError, Table};

/// Most bytes of values that a batch holds in memory before it spills further ones to a file.
const HELD_BYTES_MAX: usize = 8 << 20;

/// Shortest value that is spilled to a file, in bytes: for a shorter one the bookkeeping costs
/// more.
const SPILLED_BYTES_MIN: usize = 256;

/// Puts, deletes and expectations that are committed together.
///
/// A later operation on the same key replaces an earlier one. Expectations add up: all must hold.
///
/// ```
/// use galley::store::{Batch, Expectation, Store, StoreError, Table, memory::MemoryStore};
///
/// let store = MemoryStore::new();
/// let mut first = Batch::new();
/// first
///     .expect(Table::Settings, "title", Expectation::Absent)
///     .put(Table::Settings, "title", "The Night Ferry");
/// let revision = store.commit(&first)?;
///
/// // Another writer read the title before that commit.
/// let refused = store.commit(&first);
/// assert!(matches!(refused, Err(StoreError::Conflict(_))));
///
/// let title = store.snapshot()?.get(Table::Settings, b"title")?.unwrap();
/// assert_eq!(title.bytes, b"The Night Ferry");
/// assert_eq!(title.revision, revision);
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The operations on keys, in the order of the store, which is the cheapest to write.
    operations: BTreeMap<Table, BTreeMap<Vec<u8>, Operation>>,
    /// Expectations that are not beside an operation.
    expectations: Vec<(Table, Vec<u8>, Expectation)>,
    value_bytes: usize,
    held_bytes: usize,
    /// Holds the values that exceed the memory of the batch.
    spill: Option<Arc<Spill>>,
}

/// The operation on a key.
#[derive(Clone, Debug, Default)]
struct Operation {
    /// The value to put, or `None` to delete what is there.
    value: Option<Value>,
    /// The expectation about the key. Here it takes less memory than with a copy of the key.
    expected: Option<Expectation>,
}

#[derive(Clone, Debug)]
enum Value {
    Held(Vec<u8>),
    SpilledValue(SpilledValue),
}

/// A value of a batch, in memory or spilled.
#[derive(Clone, Copy)]
pub(super) struct BatchValue<'b> {
    value: &'b Value,
    spill: Option<&'b Spill>,
}

impl<'b> BatchValue<'b> {
    /// Appends the value to `out`.
    pub(super) fn append_to(self, out: &mut Vec<u8>) -> io::Result<()> {
        match (self.value, self.spill) {
            (Value::Held(bytes), _) => out.extend_from_slice(bytes),
            (Value::SpilledValue(spilled), Some(spill)) => spill.read(*spilled, out)?,
            (Value::SpilledValue(_), None) => return Err(io::ErrorKind::NotFound.into()),
        }
        Ok(())
    }

    fn bytes(self) -> io::Result<Cow<'b, [u8]>> {
        match self.value {
            Value::Held(bytes) => Ok(Cow::Borrowed(bytes)),
            Value::SpilledValue(_) => {
                let mut bytes = Vec::new();
                self.append_to(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}

/// The state of a key that a commit requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No record is stored under the key.
    Absent,
    /// The record was last written by the commit with this number.
    At(u64),
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} \"{}\" was expected {expected}, but is {}", .table.name(), .key.escape_ascii(), RevisionDisplay(*.found))]
pub struct Conflict {
    /// The table.
    pub table: Table,
    /// The key.
    pub key: Vec<u8>,
    /// The expectation of the batch.
    pub expected: Expectation,
    /// The revision of the stored record, or `None` if it does not exist.
    pub found: Option<u64>,
}

impl Batch {
    /// Returns an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty batch that spills large values to an anonymous file in `folder`. The file
    /// is deleted with the batch.
    pub fn spilling_to(folder: &Path) -> Self {
        Self {
            spill: Some(Arc::new(Spill::new(folder))),
            ..Self::default()
        }
    }

    /// Stores `value` under `key`, whether or not a record exists.
    pub fn put(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        value: impl Into<Vec<u8>>,
    ) -> &mut Self {
        self.insert(table, key.into(), Value::Held(value.into()));
        self
    }

    /// Stores `value` under `key` as [`put`](Self::put) does. It may be spilled to the batch's
    /// file, if that has one.
    ///
    /// # Errors
    ///
    /// `Full` or `Io` if the file cannot be created or written; the batch is unchanged then.
    pub fn put_spilling(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        value: Vec<u8>,
    ) -> Result<&mut Self, StoreError> {
        let is_full = self.held_bytes + value.len() > HELD_BYTES_MAX;
        let value = match &self.spill {
            Some(spill) if is_full && value.len() >= SPILLED_BYTES_MIN => {
                Value::SpilledValue(spill.add(&value)?)
            }
            _ => Value::Held(value),
        };
        self.insert(table, key.into(), value);
        Ok(self)
    }

    fn insert(&mut self, table: Table, key: Vec<u8>, value: Value) {
        self.value_bytes += value.bytes();
        self.held_bytes += value.held_bytes();
        self.replace(table, key, Some(value));
    }

    /// Deletes the record under `key`, if there is one.
    pub fn delete(&mut self, table: Table, key: impl Into<Vec<u8>>) -> &mut Self {
        self.replace(table, key.into(), None);
        self
    }

    /// Has `value` become of a key instead of what was to become of it.
    fn replace(&mut self, table: Table, key: Vec<u8>, value: Option<Value>) {
        let records = self.operations.entry(table).or_default();
        let operation = records.entry(key).or_default();
        if let Some(value) = std::mem::replace(&mut operation.value, value) {
            self.value_bytes -= value.bytes();
            self.held_bytes -= value.held_bytes();
        }
    }

    /// Makes the whole batch depend on the record under `key` before it.
    pub fn expect(
        &mut self,
        table: Table,
        key: impl Into<Vec<u8>>,
        expected: Expectation,
    ) -> &mut Self {
        let key = key.into();
        let records = self.operations.get_mut(&table);
        let beside = records.and_then(|records| records.get_mut(&key));
        match beside.map(|operation| &mut operation.expected) {
            Some(place @ None) => *place = Some(expected),
            _ => self.expectations.push((table, key, expected)),
        }
        self
    }

    /// Returns the value that the batch puts under `key`, `Some(None)` if it deletes the record,
    /// and `None` if it does neither.
    ///
    /// # Errors
    ///
    /// If the value was spilled to a file that cannot be read.
    pub fn change_of(&self, table: Table, key: &[u8]) -> io::Result<Option<Option<Cow<'_, [u8]>>>> {
        let records = self.operations.get(&table);
        let operation = records.and_then(|records| records.get(key));
        match operation.map(|operation| &operation.value) {
            None => Ok(None),
            Some(None) => Ok(Some(None)),
            Some(Some(value)) => Ok(Some(Some(self.waiting(value).bytes()?))),
        }
    }

    /// Returns whether the batch puts something under `key` or deletes what is there.
    pub fn changes(&self, table: Table, key: &[u8]) -> bool {
        let records = self.operations.get(&table);
        records.is_some_and(|records| records.contains_key(key))
    }

    /// Returns the keys of `table` within `keys` that the batch puts or deletes, in ascending order.
    pub fn changed_keys(&self, table: Table, keys: &Keys) -> impl Iterator<Item = &[u8]> {
        let records = self.operations.get(&table);
        let operations = records
            .zip(keys.bounds())
            .map(|(records, bounds)| records.range::<[u8], _>(bounds));
        operations
            .into_iter()
            .flatten()
            .map(|(key, _)| key.as_slice())
    }

    fn waiting<'b>(&'b self, value: &'b Value) -> BatchValue<'b> {
        BatchValue {
            value,
            spill: self.spill.as_deref(),
        }
    }

    /// Returns whether the batch changes nothing. Committing it would still create a new revision.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the length of all values that the batch puts, in memory or spilled, in bytes.
    pub fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// Returns the operations in ascending order of table and key; a value of `None` deletes.
    pub(super) fn operations(
        &self,
    ) -> impl Iterator<Item = (Table, &[u8], Option<BatchValue<'_>>)> {
        self.keys().map(|(table, key, operation)| {
            let value = operation.value.as_ref().map(|value| self.waiting(value));
            (table, key, value)
        })
    }

    /// Returns every key that the batch changes, in ascending order of table and key.
    fn keys(&self) -> impl Iterator<Item = (Table, &[u8], &Operation)> {
        let tables = self.operations.iter();
        tables.flat_map(|(table, records)| {
            let records = records.iter();
            records.map(|(key, operation)| (*table, key.as_slice(), operation))
        })
    }

    /// Returns the first expectation that does not hold, given the revision found under each key.
    pub(super) fn conflict<E>(
        &self,
        mut revision_of: impl FnMut(Table, &[u8]) -> Result<Option<u64>, E>,
    ) -> Result<Option<Conflict>, E> {
        let alone = self.expectations.iter();
        let alone = alone.map(|(table, key, expected)| (*table, key.as_slice(), *expected));
        let beside = self
            .keys()
            .filter_map(|(table, key, operation)| Some((table, key, operation.expected?)));
        for (table, key, expected) in alone.chain(beside) {
            let found = revision_of(table, key)?;
            if !expected.holds(found) {
                return Ok(Some(Conflict {
                    table,
                    key: key.to_vec(),
                    expected,
                    found,
                }));
            }
        }
        Ok(None)
    }
}

impl Value {
    fn bytes(&self) -> usize {
        match self {
            Self::Held(bytes) => bytes.len(),
            Self::SpilledValue(spilled) => spilled.bytes(),
        }
    }

    fn held_bytes(&self) -> usize {
        match self {
            Self::Held(bytes) => bytes.len(),
            Self::SpilledValue(_) => 0,
        }
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
            Expectation::Absent => RevisionDisplay(None).fmt(formatter),
            Expectation::At(revision) => RevisionDisplay(Some(*revision)).fmt(formatter),
        }
    }
}

/// Displays a revision, or that there is no record.
struct RevisionDisplay(Option<u64>);

impl fmt::Display for RevisionDisplay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str("absent"),
            Some(revision) => write!(formatter, "at revision {revision}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"key";

    /// The expectation that does not hold when what is under the key was written by this commit.
    fn unmet(batch: &Batch, revision: u64) -> Option<Expectation> {
        let found = batch.conflict(|_, _| Ok::<_, ()>(Some(revision)));
        found.unwrap().map(|conflict| conflict.expected)
    }

    #[test]
    fn expectation_survives_later_changes_of_its_key() {
        let mut batch = Batch::new();
        batch
            .put(Table::Tags, KEY, "one")
            .expect(Table::Tags, KEY, Expectation::At(7))
            .put(Table::Tags, KEY, "two")
            .delete(Table::Tags, KEY);
        assert_eq!(unmet(&batch, 7), None);
        assert_eq!(unmet(&batch, 8), Some(Expectation::At(7)));
        assert_eq!(batch.value_bytes(), 0);
    }

    #[test]
    fn all_expectations_of_a_key_must_hold() {
        let mut batch = Batch::new();
        batch
            .expect(Table::Tags, KEY, Expectation::At(1))
            .delete(Table::Tags, KEY)
            .expect(Table::Tags, KEY, Expectation::At(2))
            .expect(Table::Tags, KEY, Expectation::At(3));
        for revision in 1..=3 {
            assert!(unmet(&batch, revision).is_some());
        }
    }
}
