//! The records that other processes put or deleted.

use std::collections::{BTreeMap, BTreeSet};

use super::transaction::id_in;
use crate::{id::Id, store::Table};

/// The keys of the records.
#[derive(Default)]
pub(super) struct ChangedRecords(BTreeMap<Table, BTreeSet<Box<[u8]>>>);

impl ChangedRecords {
    /// Adds a record.
    pub(super) fn add(&mut self, table: Table, key: Box<[u8]>) {
        self.0.entry(table).or_default().insert(key);
    }

    /// Returns the keys of a table, ascending.
    pub(super) fn of(&self, table: Table) -> impl Iterator<Item = &[u8]> {
        self.0.get(&table).into_iter().flatten().map(AsRef::as_ref)
    }

    /// Returns the identifiers that the keys of a table begin with.
    pub(super) fn ids(&self, table: Table) -> BTreeSet<Id> {
        self.of(table).filter_map(id_in).collect()
    }

    /// Returns whether a record of a table was put or deleted.
    pub(super) fn touches(&self, table: Table) -> bool {
        self.0.contains_key(&table)
    }
}
