//! Opening the site, and every change of it.

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

/// Number of times that a change runs at most before other processes have to wait for it.
const SHARED_RUNS: usize = 4;

/// A change whose result is stored elsewhere.
type BoxedChange<'c> = Box<dyn FnOnce(&mut Transaction) -> Result<()> + 'c>;

impl Site {
    /// Opens the site in `store`. A new one gets the records of every new site: a free and a paid tier and a newsletter. If the
    /// store cannot be reached, the site is that of its last local state, if there is one.
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
        // A local state is that of a site that is complete.
        if lost_at.is_none() {
            site.write(Transaction::complete_site)?;
        }
        Ok(site)
    }

    /// Makes a change: all of it, durably, or nothing.
    ///
    /// Changes are made one after the other and may be committed together (`group_commit.rs`). When
    /// this returns, the change is on disk and visible to readers. If another process changes the
    /// site at the same time, `change` runs again on the result of that: four times at most,
    /// then as by [`write_once`](Self::write_once). If this process was stopped or cut off from the others since the
    /// change began, it is cancelled.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write<T>(&self, change: impl Fn(&mut Transaction) -> Result<T>) -> Result<T> {
        let life = self.life()?;
        self.write_in(life.as_ref(), change)
    }

    /// Makes a change as [`write`](Self::write) does, in a life of this process; of a worker, whose lease decides, in none.
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

    /// Makes a change as [`write`](Self::write) does that cannot run twice, since it reads a stream
    /// or moves files. Other processes cannot change the site meanwhile.
    ///
    /// # Errors
    ///
    /// The error of `change`, or of the store if it cannot commit.
    pub fn write_once<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        let life = self.life()?;
        self.write_once_in(life.as_ref(), change)
    }

    /// Makes a change as [`write_once`](Self::write_once) does, in a life of this process or in none.
    pub(super) fn write_once_in<T>(
        &self,
        life: Option<&Arc<NodeLife>>,
        change: impl FnOnce(&mut Transaction) -> Result<T>,
    ) -> Result<T> {
        self.run(change, true, life)?
    }

    /// Runs a change that began in this life and commits it, `exclusively` with the store's writer from the beginning.
    fn run<T>(
        &self,
        change: impl FnOnce(&mut Transaction) -> Result<T>,
        exclusively: bool,
        life: Option<&Arc<NodeLife>>,
    ) -> Result<Result<T>, CommitFailure> {
        let mut made = None;
        let change = Box::new(|transaction: &mut Transaction| {
            made = Some(change(transaction)?);
            Ok(())
        });
        let ended = self.run_boxed(change, exclusively, life)?;
        Ok(ended.map(|()| made.expect("invariant: a change without an error has a result")))
    }

    /// Runs a change as [`run`](Self::run) does. Not generic, because the program has many changes.
    fn run_boxed(
        &self,
        change: BoxedChange<'_>,
        exclusively: bool,
        life: Option<&Arc<NodeLife>>,
    ) -> Result<Result<()>, CommitFailure> {
        let one_at_a_time = self.one_at_a_time();
        let writer = if exclusively {
            // The writer is taken after the last group, which needs it to be committed.
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
        let seen = transaction.uncommitted_result();
        // Before `topics`, to which it adds its own.
        let changed_texts = transaction.note_changed_texts();
        let topics = transaction.topics();
        let made = transaction.finish().filter(|_| outcome.is_ok());
        let Some(made) = made else {
            drop((one_at_a_time, writer));
            self.wait_for_uncommitted(seen)?;
            return Ok(outcome);
        };
        // Waiting here, with the lock for changes held, empties the queue: the large batch becomes
        // a group without others.
        let is_alone = exclusively || made.batch.value_bytes() > SHARED_BYTES_MAX;
        if is_alone {
            self.wait_for_all();
        }
        let group = self.join(made, life)?;
        // The lock of a transaction that shares a commit ends here: the next one is made while this
        // one is written to disk.
        let until_settled = is_alone.then_some(one_at_a_time);
        self.settle(&group, writer)?;
        drop(until_settled);
        // After the commit: a woken listener finds the change in the current snapshot.
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

/// Adds the consequences of all changes of a transaction, as its last step.
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
