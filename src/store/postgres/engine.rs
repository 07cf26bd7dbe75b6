//! The store in PostgreSQL as an engine.

use crate::store::{
    Batch, ChangedKeys, CommitWaiter, Nodes, SharedCounts, Snapshot, Store, StoreError, Writer,
    postgres::{
        commit::PostgresWriter, listener::Listener, locks::lock, postgres_store::PostgresStore,
        store_size,
    },
};

impl Store for PostgresStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.catch_up()?;
        self.replica.snapshot()
    }

    fn local_snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.replica.snapshot()
    }

    fn batch(&self) -> Batch {
        self.replica.batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        self.prepare()?;
        let turn = lock(&self.turn);
        Ok(Box::new(PostgresWriter::begin(self, turn)?))
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.replica.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        store_size::size_bytes(&self.database)
    }

    fn known_size_bytes(&self) -> Result<Option<u64>, StoreError> {
        Ok(self.size.bytes())
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        Some(self)
    }

    fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        Some(self)
    }

    fn commits_of_others(&self) -> Option<Box<dyn CommitWaiter + '_>> {
        Some(Box::new(Listener::new(self)))
    }
}
