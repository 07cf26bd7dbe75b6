//! The site: one door for every change, and the catalog that everybody reads.
//!
//! A change, whoever asks for it, is a closure over a [`Transaction`]: it works on a copy of the catalog and collects what
//! the store has to write. When it succeeds, the store commits that durably, and then the copy becomes what readers see.
//! When anything fails, neither happens. Readers never wait: they hold on to the edition that they found.

mod actions;
mod collection;
mod credentials;
mod integrations;
mod load;
mod members;
mod outbox;
mod posts;
mod records;
mod revisions;
mod sessions;
mod settings;
mod staff_tokens;
mod transaction;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Guard};
pub use collection::Kept;
use jiff::Timestamp;
use records::BodyForm;
use serde::de::DeserializeOwned;
pub use transaction::Transaction;

use crate::{
    catalog::Catalog,
    clock::Clock,
    error::{Error, Result},
    id::Id,
    store::{Snapshot, Store, StoreError, Table},
};

/// A publication that is open.
pub struct Site {
    store: Box<dyn Store>,
    clock: Arc<dyn Clock>,
    current: ArcSwap<Edition>,
    writing: Mutex<()>,
    outbox_waker: outbox::Waker,
}

/// A site as one commit left it: the catalog, and the store's view of the same moment for the bodies.
pub struct Edition {
    /// Everything but the bodies and the members.
    pub catalog: Catalog,
    snapshot: Box<dyn Snapshot>,
}

impl Edition {
    fn load(store: &dyn Store) -> Result<Self> {
        let snapshot = store.snapshot()?;
        Ok(Self {
            catalog: load::catalog(snapshot.as_ref())?,
            snapshot,
        })
    }

    /// The record under `key`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn read<R: DeserializeOwned>(&self, table: Table, key: &[u8]) -> Result<Option<R>> {
        let record = self.snapshot.get(table, key)?;
        record
            .map(|record| records::decode(table, &record.bytes))
            .transpose()
    }

    /// Visits all records of a table.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read, or what `visitor` returns.
    pub fn visit<R: DeserializeOwned>(
        &self,
        table: Table,
        mut visitor: impl FnMut(&[u8], R) -> Result<()>,
    ) -> Result<()> {
        load::visit(self.snapshot.as_ref(), table, |key, bytes| {
            visitor(key, records::decode(table, bytes)?)
        })
    }

    /// The HTML of these posts in stored form, in the order of `ids`; `None` for an empty body.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn bodies(&self, ids: impl Iterator<Item = Id>) -> Result<Vec<Option<String>>> {
        ids.map(|id| records::read_body(self.snapshot.as_ref(), id, BodyForm::Html))
            .collect()
    }

    /// The editor's document of a post as JSON text in stored form; `None` when its body was not made in an editor.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn lexical(&self, id: Id) -> Result<Option<String>> {
        records::read_body(self.snapshot.as_ref(), id, BodyForm::Lexical)
    }
}

impl Site {
    /// Opens the site that `store` holds, and gives a new one what every site has: a free and a paid tier and a newsletter.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn open(store: Box<dyn Store>, clock: Arc<dyn Clock>) -> Result<Self> {
        let edition = Edition::load(store.as_ref())?;
        let is_new = edition.catalog.revision == 0;
        let site = Self {
            store,
            clock,
            current: ArcSwap::from_pointee(edition),
            writing: Mutex::new(()),
            outbox_waker: outbox::Waker::default(),
        };
        if is_new {
            site.write(Transaction::add_defaults)?;
        }
        Ok(site)
    }

    /// The site as it is now. Holding on to it keeps it as it was; nobody waits for that.
    pub fn current(&self) -> Guard<Arc<Edition>> {
        self.current.load()
    }

    /// The current time, as this site tells it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Bytes that the store takes on disk.
    ///
    /// # Errors
    ///
    /// When the store cannot tell.
    pub fn store_bytes(&self) -> Result<u64> {
        Ok(self.store.size_bytes()?)
    }

    /// Makes a change: all of it, durably, or nothing.
    ///
    /// Changes are made one after the other. When this returns, readers see the change and it is on disk.
    ///
    /// # Errors
    ///
    /// What `change` returns, or what the store says when it cannot commit.
    pub fn write<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let _one_at_a_time = self.one_at_a_time();
        let mut transaction = self.begin()?;
        let outcome = change(&mut transaction)?;
        let wakes_delivery = transaction.has_deliveries();
        if let Some((batch, mut catalog)) = transaction.finish() {
            catalog.revision = match self.store.commit(&batch) {
                Ok(revision) => revision,
                Err(error) => return Err(self.after_failed_commit(error)),
            };
            match self.store.snapshot() {
                Ok(snapshot) => self.current.store(Arc::new(Edition { catalog, snapshot })),
                // The change is durable all the same; readers see it after the next one.
                Err(error) => {
                    tracing::error!(%error, "a change was committed and cannot be shown yet")
                }
            }
            if wakes_delivery {
                self.outbox_waker.wake();
            }
        }
        Ok(outcome)
    }

    /// Makes a change as [`write`](Self::write) does, and forgets it: nobody sees it and nothing is written.
    ///
    /// # Errors
    ///
    /// What `change` returns, or that the store cannot be read.
    pub fn rehearse<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let one_at_a_time = self.one_at_a_time();
        let mut transaction = self.begin()?;
        // What is forgotten keeps no other change waiting.
        drop(one_at_a_time);
        change(&mut transaction)
    }

    fn one_at_a_time(&self) -> MutexGuard<'_, ()> {
        // A change that panicked left nothing behind but the lock.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Result<Transaction> {
        let snapshot = self.store.snapshot()?;
        self.catch_up(snapshot.revision())?;
        let catalog = self.current().catalog.clone();
        let batch = self.store.batch();
        Ok(Transaction::begin(
            snapshot,
            catalog,
            batch,
            self.clock.now(),
        ))
    }

    /// A disk that fails may fail after the commit took hold. What readers see must be what the store says; when that
    /// cannot be read either, the next change tries again.
    fn after_failed_commit(&self, error: StoreError) -> Error {
        let snapshot = self.store.snapshot().map_err(Error::from);
        if let Err(reading) = snapshot.and_then(|snapshot| self.catch_up(snapshot.revision())) {
            tracing::error!(error = %reading, "the store cannot be read after a failed commit");
        }
        error.into()
    }

    /// Shows readers what the store holds, when that is another commit than theirs. A disk that stays full costs no more
    /// than the look: everything is read only when something was written after all.
    fn catch_up(&self, revision: u64) -> Result<()> {
        if revision != self.current().catalog.revision {
            self.current
                .store(Arc::new(Edition::load(self.store.as_ref())?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::SystemClock,
        store::memory::{CommitFault, MemoryStore},
    };

    /// A site whose first change after those of its opening fails like this.
    fn failing_site(fault: CommitFault) -> Site {
        let store = MemoryStore::new();
        store.fail_commit(2, fault);
        Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
    }

    fn integrations(site: &Site) -> usize {
        site.current().catalog.integrations().count()
    }

    #[test]
    fn a_change_that_is_not_written_leaves_readers_the_edition_that_they_have() {
        for fault in [
            CommitFault::NotWritten,
            CommitFault::DiskFull,
            CommitFault::LostInDoubt,
        ] {
            let site = failing_site(fault);
            let before = Arc::clone(&site.current());
            assert!(site.write(|change| change.add_integration("a")).is_err());
            assert!(Arc::ptr_eq(&before, &site.current()), "{fault:?}");
            site.write(|change| change.add_integration("a")).unwrap();
            assert_eq!(integrations(&site), 1, "{fault:?}");
        }
    }

    #[test]
    fn a_change_that_is_written_although_the_commit_failed_is_seen() {
        let site = failing_site(CommitFault::WrittenInDoubt);
        assert!(site.write(|change| change.add_integration("a")).is_err());
        assert_eq!(integrations(&site), 1);
    }
}
