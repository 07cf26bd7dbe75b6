//! The interface that an engine of the store implements.

use std::{sync::Arc, time::Duration};

use crate::store::{
    batch::Batch, error::StoreError, nodes::Nodes, recent_commits::ChangedKeys,
    shared_counts::SharedCounts, snapshot::Snapshot,
};

/// The state of a database when a connection is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// True if the database contains the tables of a store.
    pub has_store: bool,
    /// True if the database accepts no changes, as a standby does.
    pub is_read_only: bool,
}

/// Tables of records that change by whole batches.
pub trait Store: Send + Sync {
    /// Returns a view of the last commit, which later commits do not change.
    ///
    /// Snapshots never wait for a writer. While a snapshot is held, the space of records overwritten since is not reused, so a
    /// snapshot should live for a request, not for a session.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Returns a view of the last commit that is available on this machine, without a network request.
    ///
    /// # Errors
    ///
    /// The errors of [`snapshot`](Self::snapshot).
    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.snapshot()
    }

    /// Returns an empty batch. If the store has a disk, a large batch spills its values to a file.
    fn batch(&self) -> Batch {
        Batch::new()
    }

    /// Waits until no other user of the store writes, in any process, and returns the right to commit next. Dropping the
    /// writer releases that right.
    ///
    /// # Errors
    ///
    /// `Io` or `Damaged` if the store cannot be read.
    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError>;

    /// Writes all of `batch` or none of it, regardless of what was committed before, and returns the new revision.
    ///
    /// # Errors
    ///
    /// The errors of [`writer`](Self::writer) and [`Writer::commit`].
    fn commit(&self, batch: &Batch) -> Result<u64, StoreError> {
        self.writer()?.commit(&[batch])
    }

    /// Returns the keys that the commits after `revision` put or deleted. Returns `None` if the store no longer knows them; a
    /// user that follows the store then reads everything again.
    ///
    /// # Errors
    ///
    /// `Io` if the store cannot be read.
    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError>;

    /// Returns the size of the store, in bytes, including space that it can reuse.
    ///
    /// # Errors
    ///
    /// `Io` if the file system does not report it.
    fn size_bytes(&self) -> Result<u64, StoreError>;

    /// Returns the size known on this machine, without a network request; `None` if it is not known yet.
    ///
    /// # Errors
    ///
    /// The errors of [`size_bytes`](Self::size_bytes).
    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        self.size_bytes().map(Some)
    }

    /// Returns the processes that share the store, or `None` if only one process uses it.
    fn nodes(&self) -> Option<&dyn Nodes> {
        None
    }

    /// Returns the counts that the processes share, or `None` if only one process uses the store.
    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        None
    }

    /// Returns a waiter for commits of other processes, or `None` if only this process uses the store.
    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        None
    }
}

/// Waits for commits of other processes.
pub trait CommitWaiter {
    /// Waits until another process may have committed, for at most `patience`. Commits before the first call do not end the
    /// wait.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot report commits. The next call tries again.
    fn wait(&mut self, patience: Duration) -> Result<(), StoreError>;
}

// Every method is passed on, since a default of the trait may send a request that the store itself does not need.
impl<S: Store + ?Sized> Store for Arc<S> {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        (**self).snapshot()
    }

    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        (**self).local_snapshot()
    }

    fn batch(&self) -> Batch {
        (**self).batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        (**self).writer()
    }

    fn commit(&self, batch: &Batch) -> Result<u64, StoreError> {
        (**self).commit(batch)
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

/// The right to commit next. Only one user of a store has it at a time.
pub trait Writer {
    /// Returns the number of the last commit; 0 for a new store.
    fn revision(&self) -> u64;

    /// Writes all of `batches` or none of them, one after the other, as one commit, and returns the revision of that commit:
    /// the previous revision plus 1. All written records get this revision.
    ///
    /// The commit is on disk when this returns. After any error except `InDoubt`, the store is unchanged and can still be
    /// used.
    ///
    /// # Errors
    ///
    /// `Full` if there is no space left, `Io` if the disk or a batch's file fails in another way, `InDoubt` if the store
    /// cannot be read after that failure.
    fn commit(self: Box<Self>, batches: &[&Batch]) -> Result<u64, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::MemoryStore;

    /// A store on another machine that cannot be reached.
    struct UnreachableStore(MemoryStore);

    fn unreachable<T>() -> Result<T, StoreError> {
        Err(StoreError::Unavailable {
            store: "another machine".into(),
            detail: "a request was sent".into(),
        })
    }

    impl Store for UnreachableStore {
        fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
            unreachable()
        }

        fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
            self.0.snapshot()
        }

        fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
            unreachable()
        }

        fn commit(&self, batch: &Batch) -> Result<u64, StoreError> {
            self.0.commit(batch)
        }

        fn changes_since(&self, _: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
            unreachable()
        }

        fn size_bytes(&self) -> Result<u64, StoreError> {
            unreachable()
        }

        fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
            Ok(None)
        }
    }

    #[test]
    fn store_in_an_arc_is_used_by_its_own_methods_and_not_by_defaults() {
        let store = Arc::new(UnreachableStore(MemoryStore::new()));
        assert_eq!(Store::commit(&store, &Batch::new()).unwrap(), 1);
        assert_eq!(Store::local_snapshot(&store).unwrap().revision(), 1);
        assert_eq!(Store::known_size_bytes(&store).unwrap(), None);
    }
}
