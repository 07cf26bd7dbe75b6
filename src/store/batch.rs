//! A batch: the changes of one commit.
//!
//! A batch is plain data: building one touches no store. The values of a large batch are spilled to
//! a file, so the memory used does not grow with the size of a change.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::spill::{Spill, SpilledValue};
use super::{Keys, StoreError, Table};

/// Maximum size of the values that a batch holds in memory, in bytes. Further values are spilled to
/// a file.
const HELD_BYTES_MAX: usize = 8 << 20;

/// Minimum length of a value that is spilled to a file, in bytes: the bookkeeping of a shorter value
/// would need more.
const SPILLED_BYTES_MIN: usize = 256;

/// Puts and deletes that are committed together. A later operation on the same key replaces an
/// earlier one.
///
/// ```
/// use galley::store::{Batch, Store, StoreError, Table, memory::MemoryStore};
///
/// let store = MemoryStore::new();
/// let mut batch = Batch::new();
/// batch
///     .put(Table::Settings, "title", "The Night Ferry")
///     .delete(Table::Settings, "description");
/// let revision = store.commit(&batch)?;
///
/// let title = store.snapshot()?.get(Table::Settings, b"title")?.unwrap();
/// assert_eq!(title.bytes, b"The Night Ferry");
/// assert_eq!(title.revision, revision);
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The operations on keys, sorted as in the store, because that order is the cheapest to write.
    operations: BTreeMap<Table, BTreeMap<Vec<u8>, Operation>>,
    value_bytes: usize,
    held_bytes: usize,
    /// Contains the values that exceed the memory of the batch.
    spill: Option<Arc<Spill>>,
}

/// The value to put under a key, or `None` to delete it.
type Operation = Option<Value>;

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
        // Exactly, because a value may take much memory.
        out.reserve_exact(self.value.bytes());
        match (self.value, self.spill) {
            (Value::Held(bytes), _) => out.extend_from_slice(bytes),
            (Value::SpilledValue(spilled), Some(spill)) => spill.read(*spilled, out)?,
            (Value::SpilledValue(_), None) => return Err(io::ErrorKind::NotFound.into()),
        }
        Ok(())
    }

    /// Returns the value.
    pub(super) fn bytes(self) -> io::Result<Cow<'b, [u8]>> {
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

    /// Stores `value` under `key` as [`put`](Self::put) does. The value may be spilled to the
    /// batch's file, if the batch has one.
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
        // Only values that arrive after the memory is used up are spilled, so a usual batch creates
        // no file.
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

    /// Sets `value` as the change of a key, replacing an earlier change.
    fn replace(&mut self, table: Table, key: Vec<u8>, value: Option<Value>) {
        let records = self.operations.entry(table).or_default();
        if let Some(Some(value)) = records.insert(key, value) {
            self.value_bytes -= value.bytes();
            self.held_bytes -= value.held_bytes();
        }
    }

    /// Returns the value that the batch puts under `key`, `Some(None)` if the batch deletes the
    /// record, and `None` if the batch does not change it.
    ///
    /// # Errors
    ///
    /// If the value was spilled to a file that cannot be read.
    pub fn change_of(&self, table: Table, key: &[u8]) -> io::Result<Option<Option<Cow<'_, [u8]>>>> {
        let records = self.operations.get(&table);
        let operation = records.and_then(|records| records.get(key));
        match operation {
            None => Ok(None),
            Some(None) => Ok(Some(None)),
            Some(Some(value)) => Ok(Some(Some(self.waiting(value).bytes()?))),
        }
    }

    /// Returns whether the batch puts or deletes the record under `key`.
    pub fn changes(&self, table: Table, key: &[u8]) -> bool {
        let records = self.operations.get(&table);
        records.is_some_and(|records| records.contains_key(key))
    }

    /// Returns the keys of `table` within `keys` that the batch puts or deletes, in ascending order.
    pub fn changed_keys(&self, table: Table, keys: &Keys) -> impl Iterator<Item = &[u8]> {
        let records = self.operations.get(&table);
        let operations = records
            // Without bounds, the range is empty, and `range` would panic.
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

    /// Returns the total length of the values that the batch puts, in memory or spilled, in bytes.
    pub fn value_bytes(&self) -> usize {
        self.value_bytes
    }

    /// Returns the operations in ascending order of table and key; a value of `None` deletes.
    pub(super) fn operations(
        &self,
    ) -> impl Iterator<Item = (Table, &[u8], Option<BatchValue<'_>>)> {
        let tables = self.operations.iter();
        tables.flat_map(|(table, records)| {
            let records = records.iter();
            records.map(|(key, operation)| {
                let value = operation.as_ref().map(|value| self.waiting(value));
                (*table, key.as_slice(), value)
            })
        })
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
