//! A record with the state of the site that it was part of.

use crate::{
    catalog::Catalog,
    site::SiteSnapshot,
    store::{Keys, Record, Snapshot, StoreError, Table, Visit},
};

/// A record before or after a transaction, with as much of the site at that moment as it takes to
/// write it.
pub struct State<'a, R> {
    /// The record.
    pub record: &'a R,
    /// The site: its catalog, and the rows of the store that belong to this record.
    pub snapshot: SiteSnapshot,
}

/// A row of the store that belongs to a record: its body or its revisions.
pub(super) struct OwnRow {
    pub table: Table,
    pub key: Vec<u8>,
    pub bytes: Vec<u8>,
}

impl<'a, R> State<'a, R> {
    /// Returns the state of `record` with the rows that belong to it, in the site that `catalog`
    /// shows.
    pub(super) fn new(record: &'a R, catalog: Catalog, rows: Vec<OwnRow>) -> Self {
        let snapshot = OwnRows {
            revision: catalog.revision,
            rows,
        };
        Self {
            record,
            snapshot: SiteSnapshot {
                catalog,
                snapshot: Box::new(snapshot),
            },
        }
    }
}

/// A view of the store that holds only the rows of one record.
struct OwnRows {
    revision: u64,
    rows: Vec<OwnRow>,
}

impl Snapshot for OwnRows {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError> {
        let is_requested = |row: &&OwnRow| row.table == table && row.key == key;
        let found = self.rows.iter().find(is_requested);
        Ok(found.map(|row| Record {
            revision: self.revision,
            bytes: row.bytes.clone(),
        }))
    }

    fn scan(&self, _: Table, _: &Keys, _: &mut Visit<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}
