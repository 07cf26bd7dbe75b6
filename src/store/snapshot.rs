//! The interface of a snapshot of a store.

use std::ops::ControlFlow;

use crate::store::{error::StoreError, keys::Keys, tables::Table};

/// A stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the commit that last wrote this record.
    pub revision: u64,
    /// The value, as it was put.
    pub bytes: Vec<u8>,
}

/// The visitor of a scan: key, revision of the record, value. `Break` ends the scan.
pub type Visit<'a> = dyn FnMut(&[u8], u64, &[u8]) -> ControlFlow<()> + 'a;

/// The content of a store after one commit.
pub trait Snapshot: Send + Sync {
    /// Returns the number of the commit that this snapshot shows; 0 for a new store.
    fn revision(&self) -> u64;

    /// Returns the record under `key`, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError>;

    /// Visits the records that exist under `keys`, in that order, with the index of each key.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read. The records visited until then are correct.
    fn visit_each(
        &self,
        table: Table,
        keys: &[Vec<u8>],
        visit: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        for (index, key) in keys.iter().enumerate() {
            if let Some(record) = self.get(table, key)? {
                visit(index, &record.bytes);
            }
        }
        Ok(())
    }

    /// Visits the records of `table` within `keys`, in ascending order of the keys' bytes.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read. The records visited until then are correct.
    fn scan(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<(), StoreError>;
}
