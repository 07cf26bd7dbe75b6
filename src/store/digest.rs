//! A hash over all records of a store, for checking that two stores have the same records.

use std::ops::ControlFlow;

use sha2::{Digest, Sha256};

use super::{Keys, Snapshot, StoreError, Table};

/// The number of records, and a hash over their tables, keys, revisions and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordsDigest {
    /// The number of records.
    pub records: u64,
    /// The hash, SHA-256.
    pub sha256: [u8; 32],
}

impl RecordsDigest {
    /// Returns the digest of all records in `snapshot`.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    pub fn of(snapshot: &dyn Snapshot) -> Result<Self, StoreError> {
        let mut hasher = RecordsHasher::default();
        for table in Table::ALL {
            snapshot.scan(table, &Keys::all(), &mut |key, revision, value| {
                hasher.add(table, key, revision, value);
                ControlFlow::Continue(())
            })?;
        }
        Ok(hasher.finish())
    }
}

/// Computes a digest. The records are added table by table as in [`Table::ALL`], ordered by key.
#[derive(Default)]
pub(super) struct RecordsHasher {
    records: u64,
    hash: Sha256,
}

impl RecordsHasher {
    pub(super) fn add(&mut self, table: Table, key: &[u8], revision: u64, value: &[u8]) {
        self.records += 1;
        for part in [table.name().as_bytes(), key, value] {
            // Lengths separate the parts: without them, moving bytes from a key to its value would
            // not change the hash.
            self.hash.update((part.len() as u64).to_be_bytes());
            self.hash.update(part);
        }
        // Part of the hash, because a copy stores records with their revisions.
        self.hash.update(revision.to_be_bytes());
    }

    pub(super) fn finish(self) -> RecordsDigest {
        RecordsDigest {
            records: self.records,
            sha256: self.hash.finalize().into(),
        }
    }
}
