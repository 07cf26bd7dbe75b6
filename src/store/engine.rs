//! The interface that an engine of the store implements.

use std::{sync::Arc, time::Duration};

use crate::store::{
    batch::Batch, error::StoreError, nodes::Nodes, recent_commits::ChangedKeys,
    shared_counts::SharedCounts, snapshot::Snapshot,
};

/// The database of a store, as a connection finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// True if it has the tables of a store.
    pub has_store: bool,
    /// True if it accepts no changes, as a standby does.
    pub is_read_only: bool,
}

/// Tables of records that change by whole batches.
pub trait Store: Send + Sync {
    /// Returns a view of the last commit, which later commits do not change.
    ///
    /// It never waits for a writer. As long as a snapshot is held, the space of the records
    /// overwritten since is not reused, so it should live for a request, not for a session.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Returns a view of the last commit that is on this machine, without a request to another one.
    ///
    /// # Errors
    ///
    /// The errors of [`snapshot`](Self::snapshot).
    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.snapshot()
    }

    /// Returns an empty batch. A large one stores its values outside memory, if the store has a
    /// disk.
    fn batch(&self) -> Batch {
        Batch::new()
    }

    /// Waits until no other user of the store writes, in any process, and returns the right to
    /// commit next. Dropping it gives it back.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError>;

    /// Writes all of `batch` or none of it, whatever was committed before, and returns the new
    /// revision.
    ///
    /// # Errors
    ///
    /// The errors of [`writer`](Self::writer) and [`Writer::commit`].
    fn commit(&self, batch: &Batch) -> Result<u64, StoreError> {
        self.writer()?.commit(&[batch])
    }

    /// Returns the keys that the commits after `revision` put or deleted, or `None` if the store does not
    /// know that any more: a user that follows it then reads everything again.
    ///
    /// # Errors
    ///
    /// `Io` if the store cannot be read.
    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError>;

    /// Returns the space of the store, in bytes, including the space that it can reuse.
    ///
    /// # Errors
    ///
    /// `Io` if the file system does not report it.
    fn size_bytes(&self) -> Result<u64, StoreError>;

    /// Returns the same as it is known on this machine, without a request to another one; `None` if it is not known yet.
    ///
    /// # Errors
    ///
    /// The errors of [`size_bytes`](Self::size_bytes).
    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        self.size_bytes().map(Some)
    }

    /// Returns the processes that share the store, or `None` if it belongs to one process.
    fn nodes(&self) -> Option<&dyn Nodes> {
        None
    }

    /// Returns the counts that the processes share, or `None` if the store belongs to one process.
    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        None
    }

    /// Returns a waiter for commits of other processes, or `None` if the store belongs to this
    /// process.
    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        None
    }
}

/// Waits for commits of other processes.
pub trait CommitWaiter {
    /// Waits until another process may have committed, but no longer than `patience`. Commits before the first call do not end
    /// the wait.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot report it. The next call tries again.
    fn wait(&mut self, patience: Duration) -> Result<(), StoreError>;
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        (**self).snapshot()
    }

    fn batch(&self) -> Batch {
        (**self).batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        (**self).writer()
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        (**self).changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        (**self).size_bytes()
    }

    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        (**self).known_size_bytes()
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        (**self).nodes()
    }

    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        (**self).shared_counts()
    }

    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        (**self).commits_of_others()
    }
}

/// The right to commit next, which one user of a store has at a time.
pub trait Writer {
    /// Returns the number of the last commit; 0 for a new store.
    fn revision(&self) -> u64;

    /// Writes all of `batches` or none of them, one after the other, as one commit, and returns its
    /// revision: the previous one plus 1. All records get this revision.
    ///
    /// The commit is on disk when this returns. After any error but `InDoubt` the store is
    /// unchanged and can still be used.
    ///
    /// # Errors
    ///
    /// `Full` if there is no space left, `Io` if the disk, or a batch's own file, fails otherwise,
    /// `InDoubt` if it then cannot be read either.
    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError>;
}
