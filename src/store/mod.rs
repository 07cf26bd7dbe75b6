//! Storage: ordered bytes under keys, in a fixed set of tables, changed only by atomic and durable
//! commits.
//!
//! The rest of the program uses four operations only ([`Store::snapshot`], [`Snapshot::get`],
//! [`Snapshot::scan`], [`Store::commit`]), so that another engine fits behind them. There are two:
//! [`redb`], one file on disk, and [`memory`], for tests, which fails on request. The store never
//! looks into a value, never retries a stale edit and never replaces a file that it cannot read. A
//! snapshot never waits for a writer.

pub mod memory;
pub mod redb;

mod batch;
mod error;
mod format;
mod keys;
mod metered;
mod spill;
mod tables;

use std::ops::ControlFlow;
use std::sync::Arc;

pub use batch::{Batch, Conflict, Expectation};
pub use error::{StoreError, is_out_of_space};
pub use format::FORMAT_VERSION;
pub use keys::Keys;
pub use metered::{MeasuredStore, StoreMetrics};
pub use tables::{Audience, Events, IndexedTable, Table};

/// A stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of the commit that last wrote this record.
    pub revision: u64,
    /// The value, as it was put.
    pub bytes: Vec<u8>,
}

/// Tables of records that change by whole batches.
pub trait Store: Send + Sync {
    /// Returns a view of the last commit, which later commits do not change.
    ///
    /// It never waits for a writer. As long as a snapshot is held, the space of what was
    /// overwritten since is not reused, so it should live for a request, not for a session.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Returns an empty batch. A large one stores its values outside memory, if the store has a
    /// disk.
    fn batch(&self) -> Batch {
        Batch::new()
    }

    /// Writes all of `batch` or none of it and returns the new revision: the previous one plus 1.
    ///
    /// The batch is on disk when this returns. Commits of several threads queue up. After any error
    /// but `InDoubt` the store is unchanged and can still be used.
    ///
    /// # Errors
    ///
    /// `Conflict` if an expectation of the batch does not hold, `Full` if there is no space left,
    /// `Io` if the disk, or the batch's own file, fails otherwise, `InDoubt` if it then cannot be
    /// read either.
    fn commit(&self, batch: &Batch) -> Result<u64, StoreError> {
        self.commit_together(&[batch])
    }

    /// Writes all of `batches` or none of them as [`commit`](Self::commit) does: in one commit, one
    /// after the other.
    ///
    /// The expectations of a batch are checked against what the batches before it left. All records
    /// get the revision of this commit.
    ///
    /// # Errors
    ///
    /// Those of [`commit`](Self::commit), for any of the batches.
    fn commit_together(&self, batches: &[&Batch]) -> Result<u64, StoreError>;

    /// Returns the space that the store takes, in bytes, including what it can reuse.
    ///
    /// # Errors
    ///
    /// `Io` if the file system does not report it.
    fn size_bytes(&self) -> Result<u64, StoreError>;
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        (**self).snapshot()
    }

    fn batch(&self) -> Batch {
        (**self).batch()
    }

    fn commit_together(&self, batches: &[&Batch]) -> Result<u64, StoreError> {
        (**self).commit_together(batches)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        (**self).size_bytes()
    }
}

/// The visitor of a scan: key, revision of the record, value. `Break` ends the scan.
pub type Visit<'a> = dyn FnMut(&[u8], u64, &[u8]) -> ControlFlow<()> + 'a;

/// The store as it was after one commit.
pub trait Snapshot: Send + Sync {
    /// Returns the number of the commit that this snapshot shows; 0 for a new store.
    fn revision(&self) -> u64;

    /// Returns the record under `key`, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError>;

    /// Visits the records that exist under `keys`, in their order, with the position of each key.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read. What was visited until then is correct.
    fn visit_each(
        &self,
        table: Table,
        keys: &[Vec<u8>],
        visit: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), StoreError> {
        for (place, key) in keys.iter().enumerate() {
            if let Some(record) = self.get(table, key)? {
                visit(place, &record.bytes);
            }
        }
        Ok(())
    }

    /// Visits the records of `table` within `keys`, in ascending order of the keys' bytes.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read. What was visited until then is correct.
    fn scan(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<(), StoreError>;
}
