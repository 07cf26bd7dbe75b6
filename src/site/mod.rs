//! The site: the single entry point for every change, and the catalog that readers use.
//!
//! Every change is a closure over a [`Transaction`], which works on a copy of the catalog and
//! collects the writes for the store. If it succeeds, the store commits the batch durably,
//! together with concurrent transactions (`group_commit.rs`), and the copy becomes the site that readers see. If
//! anything fails, neither happens. Readers never wait: they hold on to the snapshot that they
//! started with.

mod actions;
mod announcements;
mod body_search;
mod change_feed;
mod changed_records;
mod changed_texts;
mod collection;
mod commit_listeners;
mod credentials;
mod defaults;
mod delivery_keys;
mod emails;
mod file_edits;
mod file_records;
mod file_writer;
mod following;
mod group_commit;
mod integrations;
mod leased_site;
mod leases;
mod load;
mod member_events;
mod member_tokens;
mod members;
mod notifications;
mod outbox;
mod posts;
mod records;
mod revisions;
mod sessions;
mod settings;
mod setup_links;
mod site_files;
mod staff_tokens;
mod tables;
mod transaction;
mod view;
mod webhook_deliveries;
mod webhook_events;
mod webhook_log;

use std::{
    fs::File,
    ops::ControlFlow,
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, atomic::AtomicBool},
};

pub use announcements::{AnnouncedChange, Announcer, ChangedFields, State};
use arc_swap::{ArcSwap, Guard};
pub use body_search::{BodySearch, SEARCHED_BYTES_MAX};
pub use change_feed::CHANGES_MAX;
use changed_texts::ChangedTexts;
pub use collection::{CollectionRecord, EditableRecord};
use commit_listeners::CommitListeners;
pub use commit_listeners::CommitTopic;
pub use file_records::{EditedRecord, FileRecord};
pub use file_writer::{DeletedFile, EditedFile, FileWriter, record_of_file};
use group_commit::{CommitFailure, Queue};
use jiff::Timestamp;
pub use leased_site::{LeasedSite, Liveness, WeakLeasedSite};
pub use leases::{LeaseNumber, LeaseRecord, Work};
use records::BodyForm;
pub use records::StoredRecord;
use serde::de::DeserializeOwned;
pub use transaction::Transaction;
pub use view::SiteView;
pub use webhook_deliveries::{QueueHead, WAITING_COUNTED_MAX};
pub use webhook_log::{LOGGED_BODIES_BYTES_MAX, LOGGED_DELIVERIES_MAX};

use crate::{
    catalog::Catalog,
    clock::Clock,
    error::{Error, Result},
    id::Id,
    store::{Keys, Snapshot, Store, StoreError, Table, redb::write_copy},
};

/// Number of times that a change runs at most before other processes have to wait for it.
const SHARED_RUNS: usize = 4;

/// An open publication.
pub struct Site {
    store: Box<dyn Store>,
    clock: Arc<dyn Clock>,
    current: ArcSwap<SiteSnapshot>,
    /// Held while a transaction is made, but not until it is durable.
    making: Mutex<()>,
    queue: Mutex<Queue>,
    /// Notified when the result of a group's commit is known.
    settled: Condvar,
    /// Held while the site that readers see is replaced.
    showing: Mutex<()>,
    /// The store's availability when commits of other processes were last checked for.
    is_followed: AtomicBool,
    commit_listeners: CommitListeners,
    changed_texts: ChangedTexts,
    /// Writes the bodies of webhook events. Without it, no events are sent.
    announcer: OnceLock<Arc<dyn Announcer>>,
    /// Writes edits of records of content files into the files. Without it, these records change only with their files.
    file_writer: RwLock<Option<Arc<dyn FileWriter>>>,
}

/// The site after one commit: the catalog, and the store's snapshot of the same commit for the
/// bodies.
pub struct SiteSnapshot {
    /// Everything but the bodies.
    pub catalog: Catalog,
    snapshot: Box<dyn Snapshot>,
}

impl SiteSnapshot {
    fn load(store: &dyn Store) -> Result<Self> {
        let snapshot = store.snapshot()?;
        Ok(Self {
            catalog: tables::catalog(snapshot.as_ref())?,
            snapshot,
        })
    }

    /// Returns the record under `key`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
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
    /// If the store cannot be read or holds a record that this program cannot read, or what
    /// `visitor` returns.
    pub fn visit<R: DeserializeOwned>(
        &self,
        table: Table,
        mut visitor: impl FnMut(&[u8], R) -> Result<()>,
    ) -> Result<()> {
        records::visit_all(self.snapshot.as_ref(), table, |key, bytes| {
            visitor(key, records::decode(table, bytes)?)
        })
    }

    /// Returns all records of a small table, in ascending order of their keys.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn all<R: DeserializeOwned>(&self, table: Table) -> Result<Vec<R>> {
        let mut records = Vec::new();
        self.visit(table, |_, record| {
            records.push(record);
            Ok(())
        })?;
        Ok(records)
    }

    /// Reads all records of a table in ascending order of their keys, converts each with `make` on
    /// all processors, and passes the results to `put`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or the error of `make`.
    pub fn read_all<T: Send>(
        &self,
        table: Table,
        make: impl Fn(StoredRecord<'_>) -> Result<T> + Sync,
        put: impl FnMut(T),
    ) -> Result<()> {
        load::decode_all(self.snapshot.as_ref(), table, make, put)
    }

    /// Visits the records of a table within `keys`, in ascending order of the keys' bytes, until
    /// `visitor` breaks off.
    fn visit_within<R: DeserializeOwned>(
        &self,
        table: Table,
        keys: &Keys,
        visitor: impl FnMut(R) -> ControlFlow<()>,
    ) -> Result<()> {
        records::visit(table, visitor, |visit| {
            let scanned = self
                .snapshot
                .scan(table, keys, &mut |_, _, bytes| visit(bytes));
            scanned.map_err(Error::from)
        })
    }

    /// Writes everything in this snapshot to the empty `file` as a separate store. `advance`
    /// receives the number of bytes copied, and aborts with `Break`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the file cannot be written.
    pub fn copy_store(
        &self,
        file: &File,
        advance: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> std::result::Result<ControlFlow<()>, StoreError> {
        write_copy(self.snapshot.as_ref(), file, advance)
    }

    /// Returns the number of records of a table within `keys`, counted up to `count_max`.
    fn count_within(&self, table: Table, keys: &Keys, count_max: usize) -> Result<usize> {
        let mut count = 0;
        self.snapshot.scan(table, keys, &mut |_, _, _| {
            count += 1;
            if count < count_max {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(count)
    }

    /// Returns the HTML of these posts in stored form, in the order of `ids`; `None` for an empty
    /// body.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn bodies(&self, ids: impl Iterator<Item = Id>) -> Result<Vec<Option<String>>> {
        ids.map(|id| records::read_body(self.snapshot.as_ref(), id, BodyForm::Html))
            .collect()
    }

    /// Visits the HTML of these posts in stored form, with the position of each post; posts without
    /// a body are skipped.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a body that is not UTF-8.
    pub fn visit_bodies(
        &self,
        ids: impl Iterator<Item = Id>,
        visit: impl FnMut(usize, &str),
    ) -> Result<()> {
        let keys: Vec<Vec<u8>> = ids.map(|id| BodyForm::Html.key(id)).collect();
        records::visit_bodies(self.snapshot.as_ref(), &keys, visit)
    }

    /// Returns the editor's document of a post as JSON in stored form; `None` if its body was not
    /// written in an editor.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn lexical(&self, id: Id) -> Result<Option<String>> {
        records::read_body(self.snapshot.as_ref(), id, BodyForm::Lexical)
    }
}

impl Site {
    /// Opens the site that `store` holds. A new one gets what every site has: a free and a paid
    /// tier and a newsletter.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn open(store: Box<dyn Store>, clock: Arc<dyn Clock>) -> Result<Self> {
        let snapshot = SiteSnapshot::load(store.as_ref())?;
        let site = Self {
            store,
            clock,
            current: ArcSwap::from_pointee(snapshot),
            making: Mutex::new(()),
            queue: Mutex::default(),
            settled: Condvar::new(),
            showing: Mutex::new(()),
            is_followed: AtomicBool::new(true),
            commit_listeners: CommitListeners::default(),
            changed_texts: ChangedTexts::default(),
            announcer: OnceLock::new(),
            file_writer: RwLock::default(),
        };
        site.write(Transaction::complete_site)?;
        Ok(site)
    }

    /// Returns the current snapshot of the site. Holding on to it blocks nothing.
    pub fn current(&self) -> Guard<Arc<SiteSnapshot>> {
        self.current.load()
    }

    /// Sets the writer of webhook events for as long as the site is open.
    pub fn announce_with(&self, announcer: Arc<dyn Announcer>) {
        // A second call is ignored: there is one way to write events.
        let _ = self.announcer.set(announcer);
    }

    /// Sets the writer of content files, in place of the previous one.
    pub fn write_files_with(&self, writer: Arc<dyn FileWriter>) {
        // A poisoned lock is safe: the writer is replaced in one step.
        let set = self.file_writer.write();
        *set.unwrap_or_else(PoisonError::into_inner) = Some(writer);
    }

    pub(super) fn file_writer(&self) -> Option<Arc<dyn FileWriter>> {
        let set = self.file_writer.read();
        set.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the current time by this site's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the size of the store on disk, in bytes.
    ///
    /// # Errors
    ///
    /// If the store cannot determine it.
    pub fn store_bytes(&self) -> Result<u64> {
        Ok(self.store.size_bytes()?)
    }

    /// Makes a change: all of it, durably, or nothing.
    ///
    /// Changes are made one after the other and may be committed together (`group_commit.rs`). When
    /// this returns, the change is on disk and visible to readers. If another process changes the
    /// site at the same time, `change` runs again on the result of that: four times at most,
    /// then as by [`write_once`](Self::write_once).
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write<T>(&self, change: impl Fn(&mut Transaction) -> Result<T>) -> Result<T> {
        for _ in 0..SHARED_RUNS {
            match self.run(&change, false) {
                Err(CommitFailure::Overtaken) => {}
                ended => return ended?,
            }
        }
        self.write_once(change)
    }

    /// Makes a change as [`write`](Self::write) does that cannot run twice, since it reads a stream
    /// or moves files. Other processes cannot change the site meanwhile.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write_once<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        self.run(change, true)?
    }

    /// Runs a change and commits it, `exclusively` with the store's writer from the beginning.
    fn run<T>(
        &self,
        change: impl FnOnce(&mut Transaction) -> Result<T>,
        exclusively: bool,
    ) -> Result<Result<T>, CommitFailure> {
        let one_at_a_time = self.one_at_a_time();
        let writer = if exclusively {
            self.wait_for_all();
            Some(self.store.writer()?)
        } else {
            None
        };
        let mut transaction = match self.begin() {
            Ok(transaction) => transaction,
            Err(error) => return Ok(Err(error)),
        };
        let outcome =
            change(&mut transaction).and_then(|outcome| transaction.conclude().map(|()| outcome));
        let seen = transaction.uncommitted_result();
        let changed_texts = transaction.note_changed_texts();
        let topics = transaction.topics();
        let made = transaction.finish().filter(|_| outcome.is_ok());
        let Some(made) = made else {
            drop((one_at_a_time, writer));
            self.wait_for_uncommitted(seen)?;
            return Ok(outcome);
        };
        let is_alone = exclusively || made.batch.value_bytes() > group_commit::SHARED_BYTES_MAX;
        if is_alone {
            self.wait_for_all();
        }
        let group = self.join(made)?;
        let until_settled = is_alone.then_some(one_at_a_time);
        self.settle(&group, writer)?;
        drop(until_settled);
        self.changed_texts.add(changed_texts);
        self.commit_listeners.wake(topics);
        Ok(outcome)
    }

    /// Makes a change as [`write`](Self::write) does, then discards it: it is never visible and
    /// nothing is written.
    ///
    /// # Errors
    ///
    /// The error of `change`, or that the store cannot be read.
    pub fn rehearse<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let one_at_a_time = self.one_at_a_time();
        let mut transaction = self.begin()?;
        // A discarded change does not block others.
        drop(one_at_a_time);
        let outcome = change(&mut transaction);
        match self.wait_for_uncommitted(transaction.uncommitted_result()) {
            // The data that it read is made again.
            Ok(()) | Err(CommitFailure::Overtaken) => outcome,
            Err(failure) => Err(failure.into()),
        }
    }

    fn one_at_a_time(&self) -> MutexGuard<'_, ()> {
        // A poisoned lock is safe: a change that panicked joined no group.
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::SystemClock,
        store::memory::{CommitFault, MemoryStore},
    };

    /// Returns a site whose first change after those of its opening fails with `fault`.
    fn failing_site(fault: CommitFault) -> Site {
        let store = MemoryStore::new();
        store.fail_commit(2, fault);
        Site::open(Box::new(store), Arc::new(SystemClock)).unwrap()
    }

    fn integrations(site: &Site) -> usize {
        site.current().catalog.integrations().count()
    }

    #[test]
    fn unwritten_change_stays_invisible() {
        for fault in [
            CommitFault::NotWritten,
            CommitFault::DiskFull,
            CommitFault::LostInDoubt,
        ] {
            let site = failing_site(fault);
            let before = site.current().catalog.revision;
            assert!(
                site.write(|change| change.add_integration("a", None))
                    .is_err()
            );
            assert_eq!(site.current().catalog.revision, before, "{fault:?}");
            assert_eq!(integrations(&site), 0, "{fault:?}");
            site.write(|change| change.add_integration("a", None))
                .unwrap();
            assert_eq!(integrations(&site), 1, "{fault:?}");
        }
    }

    #[test]
    fn change_written_by_a_failed_commit_is_visible() {
        let site = failing_site(CommitFault::WrittenInDoubt);
        assert!(
            site.write(|change| change.add_integration("a", None))
                .is_err()
        );
        assert_eq!(integrations(&site), 1);
    }
}
