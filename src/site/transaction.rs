//! A change in the making: a copy of the catalog and the batch that will make the store agree with it.

use std::{borrow::Cow, collections::HashSet};

use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};

use super::records;
use crate::{
    catalog::Catalog,
    error::{Error, Result},
    store::{Batch, Expectation, Snapshot, Table},
};

/// A change that is being made. Operations see what earlier ones of the same transaction did.
pub struct Transaction {
    snapshot: Box<dyn Snapshot>,
    catalog: Catalog,
    batch: Batch,
    expected: HashSet<(Table, Vec<u8>)>,
    now: Timestamp,
    has_deliveries: bool,
}

impl Transaction {
    pub(super) fn begin(
        snapshot: Box<dyn Snapshot>,
        catalog: Catalog,
        batch: Batch,
        now: Timestamp,
    ) -> Self {
        Self {
            snapshot,
            catalog,
            batch,
            expected: HashSet::new(),
            now,
            has_deliveries: false,
        }
    }

    /// What is to be committed, or `None` when nothing changed.
    pub(super) fn finish(self) -> Option<(Batch, Catalog)> {
        (!self.batch.is_empty()).then_some((self.batch, self.catalog))
    }

    /// Whether it put something into the outbox, whose deliverer is to be woken once that is committed.
    pub(super) fn has_deliveries(&self) -> bool {
        self.has_deliveries
    }

    pub(super) fn note_delivery(&mut self) {
        self.has_deliveries = true;
    }

    /// The site as it is after what this transaction did so far.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The time of the change: one for all that it touches.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn catalog_mut(&mut self) -> &mut Catalog {
        &mut self.catalog
    }

    pub(super) fn snapshot(&self) -> &dyn Snapshot {
        self.snapshot.as_ref()
    }

    /// The record under `key`, as this transaction left it.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        self.bytes(table, key)?
            .map(|bytes| records::decode(table, &bytes))
            .transpose()
    }

    /// The bytes under `key`, as this transaction left them.
    pub(super) fn bytes(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let change = self.batch.change_of(table, key).map_err(Error::internal)?;
        Ok(match change {
            Some(change) => change.map(Cow::into_owned),
            None => self.snapshot.get(table, key)?.map(|record| record.bytes),
        })
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn put(&mut self, table: Table, key: &[u8], record: &impl Serialize) -> Result<()> {
        let bytes = records::encode(record)?;
        self.put_bytes(table, key, bytes)
    }

    pub(super) fn put_bytes(&mut self, table: Table, key: &[u8], bytes: Vec<u8>) -> Result<()> {
        self.expect_unchanged(table, key)?;
        self.batch.put_spilling(table, key, bytes)?;
        Ok(())
    }

    /// Deletes a record, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn delete(&mut self, table: Table, key: &[u8]) -> Result<()> {
        self.expect_unchanged(table, key)?;
        self.batch.delete(table, key);
        Ok(())
    }

    /// Whether this transaction has put or deleted the record already.
    pub(super) fn has_touched(&self, table: Table, key: &[u8]) -> bool {
        self.expected.contains(&(table, key.to_vec()))
    }

    /// Ties the commit to the record being what this transaction found, so that a second writer cannot be overwritten.
    fn expect_unchanged(&mut self, table: Table, key: &[u8]) -> Result<()> {
        if self.expected.insert((table, key.to_vec())) {
            let expectation = match self.snapshot.get(table, key)? {
                Some(record) => Expectation::At(record.revision),
                None => Expectation::Absent,
            };
            self.batch.expect(table, key, expectation);
        }
        Ok(())
    }
}
