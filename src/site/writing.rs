//! Opens the site and runs every change of it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use arc_swap::{ArcSwap, ArcSwapOption};

use super::{
    NodeLife, Site, SiteSnapshot, Transaction,
    announcements::announce,
    changed_texts::ChangedTexts,
    commit_listeners::CommitListeners,
    commit_queue::{CommitFailure, SHARED_BYTES_MAX},
    store_reach::{CurrentRefusal, StoreReach},
    tables,
};
use crate::{clock::Clock, error::Result, store::Store};

/// Maximum number of times that a change runs concurrently with other processes. After that, they have to wait for it.
const SHARED_RUNS: usize = 4;

/// A change whose result is stored by the closure.
type BoxedChange<'c> = Box<dyn FnOnce(&mut Transaction) -> Result<()> + 'c>;

impl Site {
    /// Opens the site in `store`. A new site gets its default records: a free tier, a paid tier and a newsletter. If the store
    /// cannot be reached, the site has the last local state, if there is one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn open(store: Box<dyn Store>, clock: Arc<dyn Clock>) -> Result<Self> {
        let (snapshot, lost_at) = match store.snapshot() {
            Err(error) if error.is_of_unavailable_store() => {
                (store.local_snapshot()?, Some(clock.now()))
            }
            taken => (taken?, None),
        };
        let snapshot = SiteSnapshot {
            catalog: tables::catalog(snapshot.as_ref())?,
            snapshot,
        };
        let site = Self {
            store,
            clock,
            current: ArcSwap::from_pointee(snapshot),
            making: Mutex::new(()),
            queue: Mutex::default(),
            settled: Condvar::new(),
            showing: Mutex::new(()),
            store_reach: StoreReach::lost_at(lost_at),
            store_refusal: CurrentRefusal::empty(),
            life: ArcSwapOption::empty(),
            commit_listeners: CommitListeners::default(),
            changed_texts: ChangedTexts::default(),
            announcer: OnceLock::new(),
            file_writer: RwLock::default(),
            theme_packages: OnceLock::new(),
        };
        // A local state is that of a complete site.
        if lost_at.is_none() {
            site.write(Transaction::complete_site)?;
        }
        Ok(site)
    }

    /// Runs a change as a transaction: either all of it becomes durable, or nothing.
    ///
    /// Changes run one after the other and may be committed together (`group_commit.rs`). When this returns, the change is on
    /// disk and visible to readers. If another process changes the site at the same time, `change` runs again on the new state:
    /// at most four times, then as with [`write_once`](Self::write_once). If this process was stopped or cut off from the other
    /// nodes after the change began, the change is cancelled.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write<T>(&self, change: impl Fn(&mut Transaction) -> Result<T>) -> Result<T> {
        let life = self.life()?;
        self.write_in(life.as_ref(), change)
    }

    /// Runs a change as [`write`](Self::write) does, in a life of this process. Workers pass no life: their leases decide
    /// instead.
    pub(super) fn write_in<T>(
        &self,
        life: Option<&Arc<NodeLife>>,
        change: impl Fn(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        for _ in 0..SHARED_RUNS {
            match self.run(&change, false, life) {
                Err(CommitFailure::Overtaken) => {}
                ended => return ended?,
            }
        }
        self.write_once_in(life, change)
    }

    /// Runs a change as [`write`](Self::write) does, but only once, because it reads a stream or moves files. Other processes
    /// cannot change the site meanwhile.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write_once<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let life = self.life()?;
        self.write_once_in(life.as_ref(), change)
    }

    /// Runs a change as [`write_once`](Self::write_once) does, in a life of this process or in none.
    pub(super) fn write_once_in<T>(
        &self,
        life: Option<&Arc<NodeLife>>,
        change: impl FnOnce(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.run(change, true, life)?
    }

    /// Runs a change that began in this life and commits it. If `exclusively`, the change has the store's writer from the
    /// beginning.
    fn run<T>(
        &self,
        change: impl FnOnce(&mut Transaction) -> Result<T>,
        exclusively: bool,
        life: Option<&Arc<NodeLife>>,
    ) -> Result<Result<T>, CommitFailure> {
        let mut result = None;
        let change = Box::new(|transaction: &mut Transaction| {
            result = Some(change(transaction)?);
            Ok(())
        });
        let ended = self.run_boxed(change, exclusively, life)?;
        Ok(ended.map(|()| result.expect("invariant: a change without an error has a result")))
    }

    /// Runs a change as [`run`](Self::run) does. Not generic, to compile it once for the many changes of the program.
    fn run_boxed(
        &self,
        change: BoxedChange<'_>,
        exclusively: bool,
        life: Option<&Arc<NodeLife>>,
    ) -> Result<Result<()>, CommitFailure> {
        // Lock order: changes, then the writer of the store, then the queue or the shown site. No
        // lock is requested while a later one is held.
        let one_at_a_time = self.one_at_a_time();
        let writer = if exclusively {
            // The writer is taken after the last group, which needs the writer for its commit.
            self.wait_for_all();
            Some(self.store.writer()?)
        } else {
            None
        };
        let mut transaction = match self.begin() {
            Ok(transaction) => transaction,
            Err(error) => return Ok(Err(error)),
        };
        let outcome = change(&mut transaction).and_then(|()| conclude(&mut transaction));
        let uncommitted = transaction.uncommitted_result();
        // Before `topics`, because this call adds topics.
        let changed_texts = transaction.report_changed_texts();
        let topics = transaction.topics();
        let prepared = transaction.finish().filter(|_| outcome.is_ok());
        let Some(prepared) = prepared else {
            // Released before the wait, which may take as long as a commit.
            drop((one_at_a_time, writer));
            self.wait_for_uncommitted(uncommitted)?;
            return Ok(outcome);
        };
        // The lock for changes is held, so waiting here empties the queue, and the large batch becomes a group without others.
        let is_alone = exclusively || prepared.batch.value_bytes() > SHARED_BYTES_MAX;
        if is_alone {
            self.wait_for_all();
        }
        let group = self.join(prepared, life)?;
        // The lock of a transaction that shares a commit ends here: the next transaction runs while this one is written to
        // disk.
        let until_settled = is_alone.then_some(one_at_a_time);
        self.settle(&group, writer)?;
        drop(until_settled);
        // After the commit, so that a woken listener sees the change in the current snapshot.
        self.changed_texts.add(changed_texts);
        self.commit_listeners.notify(topics);
        Ok(outcome)
    }

    /// Runs a change as [`write`](Self::write) does, then discards it: it is never visible and nothing is written.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot be read.
    pub fn rehearse<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let one_at_a_time = self.one_at_a_time();
        let mut transaction = self.begin()?;
        // A discarded change does not block others.
        drop(one_at_a_time);
        let outcome = change(&mut transaction);
        match self.wait_for_uncommitted(transaction.uncommitted_result()) {
            // The transactions that the change has read run again, so their data remains valid.
            Ok(()) | Err(CommitFailure::Overtaken) => outcome,
            Err(failure) => Err(failure.into()),
        }
    }

    fn one_at_a_time(&self) -> MutexGuard<'_, ()> {
        // A poisoned lock is safe: a change that panicked joined no group.
        self.making.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds the consequences of all changes of a transaction as its last step: the change feed and the announcements.
fn conclude(transaction: &mut Transaction) -> Result<()> {
    transaction.feed_changes()?;
    announce(transaction)
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
    fn refusal_of_the_disk_is_known_until_it_accepts_a_change_or_a_trial() {
        let change = |site: &Site| {
            site.write(|change| change.add_integration("a", None))
                .map(drop)
        };
        let site = failing_site(CommitFault::DiskFull);
        assert!(site.store_refusal().is_none());
        assert!(change(&site).is_err());
        let refusal = site.store_refusal().unwrap();
        assert!(refusal.reason.contains("no space"), "{}", refusal.reason);
        change(&site).unwrap();
        assert!(site.store_refusal().is_none());

        let site = failing_site(CommitFault::DiskFull);
        assert!(change(&site).is_err());
        site.retry_disk(|| Err(std::io::ErrorKind::StorageFull.into()));
        assert!(site.store_refusal().is_some());
        site.retry_disk(|| Ok(()));
        assert!(site.store_refusal().is_none());
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
