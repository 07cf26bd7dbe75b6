//! Group commit: while one group of transactions is written to disk, the next one forms.
//!
//! Closures run one after the other, but no closure waits for the disk. A finished transaction
//! joins the group that is forming. A caller that finds no commit under way commits that group, and
//! all others wait for it. So a single client waits for one commit, and many clients share commits.
//!
//! Invariants:
//!
//! - A transaction is based on all earlier ones: the store, the group that is being committed, and the group that is
//!   forming. The order in which closures run is the order of their effects.
//! - Groups are committed in that order, one at a time, each as one commit. So readers always see
//!   whole, durable groups.
//! - A caller that saw an uncommitted change gets no result before that change is durable. A closure that returns an
//!   error or changes nothing waits as well, because its result may depend on that change.
//! - A group that cannot be committed fails together with the transactions based on it. Later transactions start from
//!   the content of the store.
//! - A closure that fails or panics joins no group and affects no other.
//! - A group is committed only on the revision of the store that it is based on. If another process has committed
//!   meanwhile, the transactions of the group and those based on it run again.
//! - A group is committed in the life of this process in which its transactions began, or not at all (`node_life.rs`).
//! - A large transaction is committed alone, and no other transaction runs meanwhile. So no small transaction waits
//!   for the bytes of a large one unexpectedly, and none fails because they do not fit together.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::{
    NodeLife, Site, Transaction,
    commit_queue::{
        CommitFailure, CommitResult, Group, PreparedCommit, Queue, UncommittedTransactions,
    },
};
use crate::{
    catalog::Catalog,
    error::Result,
    store::{Batch, Writer},
};

impl Site {
    /// Begins a transaction on top of all earlier ones. The caller holds the lock for changes.
    pub(super) fn begin(&self) -> Result<Transaction> {
        loop {
            let (uncommitted, catalog) = self.uncommitted();
            // The snapshot is taken after the list of uncommitted changes: changes that became durable in between are
            // in both, which does no harm.
            let snapshot = self.store.snapshot()?;
            let catalog = match catalog {
                Some(catalog) if snapshot.revision() <= catalog.revision => catalog,
                // Another process committed on top of these changes, or instead of them.
                Some(_) => {
                    // The result concerns other transactions; this one only has to start after it is known.
                    let _ = self.wait_for_uncommitted(uncommitted.commit_result);
                    continue;
                }
                None => match self.catalog_at(snapshot.revision())? {
                    Some(catalog) => catalog,
                    // Another process has committed since the snapshot was taken.
                    None => continue,
                },
            };
            return Ok(Transaction::begin(
                snapshot,
                uncommitted,
                catalog,
                self.store.batch(),
                Arc::clone(&self.clock),
                self.announcer.get().cloned(),
                self.file_writer(),
            ));
        }
    }

    /// Returns the uncommitted changes, and the site after them if there are any.
    fn uncommitted(&self) -> (UncommittedTransactions, Option<Catalog>) {
        let mut queue = self.queue();
        // The transaction that begins now sees nothing of the failed group, so it may join again.
        queue.failure = None;
        let uncommitted = UncommittedTransactions {
            batches: queue
                .groups()
                .flat_map(|group| group.batches.iter().cloned())
                .collect(),
            commit_result: queue
                .groups()
                .next_back()
                .map(|group| Arc::clone(&group.commit_result)),
        };
        let catalog = queue
            .groups()
            .next_back()
            .map(|group| group.catalog.clone());
        (uncommitted, catalog)
    }

    /// Adds a transaction to the group that is forming. The caller still holds the lock for
    /// changes.
    pub(super) fn join(
        &self,
        prepared: PreparedCommit,
        life: Option<&Arc<NodeLife>>,
    ) -> Result<Arc<CommitResult>, CommitFailure> {
        let PreparedCommit {
            base,
            batch,
            mut catalog,
            reaches_readers,
        } = prepared;
        let mut queue = self.queue();
        if let Some(failure) = &queue.failure {
            return Err(failure.clone());
        }
        let forming = queue.forming.as_ref();
        let life_of_group = forming.and_then(|group| group.life.as_ref());
        // The group's transactions will be cancelled, and so must be those based on it.
        if let (Some(life), Some(life_of_group)) = (life, life_of_group)
            && !Arc::ptr_eq(life, life_of_group)
        {
            return Err(CommitFailure::LifeOver);
        }
        // All transactions of a group become one commit, so they share a revision.
        catalog.revision = match &queue.forming {
            Some(group) => group.base + 1,
            None => base + 1,
        };
        if reaches_readers {
            catalog.readers_revision = catalog.revision;
        }
        let batch = Arc::new(batch);
        let group = match &mut queue.forming {
            Some(group) => {
                group.batches.push(batch);
                group.catalog = catalog;
                // The group may have begun with a transaction of a worker, which has no life.
                group.life = group.life.take().or_else(|| life.cloned());
                group
            }
            none => none.insert(Group {
                batches: vec![batch],
                base,
                catalog,
                life: life.cloned(),
                commit_result: Arc::default(),
            }),
        };
        Ok(Arc::clone(&group.commit_result))
    }

    /// Waits until all changes are durable. The caller holds the lock for changes, so none is
    /// added.
    pub(super) fn wait_for_all(&self) {
        let queue = self.queue();
        let waited = self.settled.wait_while(queue, |queue| !queue.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits for the result of a group's commit. Commits the group if no other thread does, with
    /// `writer` if the caller has one.
    pub(super) fn settle(
        &self,
        commit_result: &CommitResult,
        mut writer: Option<Box<dyn Writer + '_>>,
    ) -> Result<(), CommitFailure> {
        let mut queue = self.queue();
        loop {
            if let Some(outcome) = commit_result.get() {
                return outcome.clone();
            }
            queue = match queue.next_to_commit() {
                Some(group) => {
                    // Released during the commit, so that transactions can join the next group
                    // meanwhile.
                    drop(queue);
                    self.commit(group, writer.take());
                    self.queue()
                }
                None => {
                    let woken = self.settled.wait(queue);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    /// Waits until the uncommitted changes that a transaction saw are durable.
    pub(super) fn wait_for_uncommitted(
        &self,
        commit_result: Option<Arc<CommitResult>>,
    ) -> Result<(), CommitFailure> {
        commit_result.map_or(Ok(()), |commit_result| self.settle(&commit_result, None))
    }

    /// Commits a group and shows it to readers.
    fn commit(&self, group: Arc<Group>, writer: Option<Box<dyn Writer + '_>>) {
        // Created before anything that can panic: without a result, all waiters would wait forever.
        let mut commit = CommitInProgress::of(self, group);
        let group = Arc::clone(&commit.group);
        // The writer is dropped here, before the site is shown: another process may commit
        // meanwhile.
        let written = self.write_batches(&group, writer);
        self.record_disk_result(&written);
        match written {
            Ok(()) => commit.outcome = Ok(()),
            Err(failure) => {
                // A disk may report an error although the commit took effect, and readers must see the content of the
                // store. If it cannot be read either, the next change tries again.
                if let Err(error) = self.refresh()
                    && !error.is_of_unavailable_store()
                {
                    tracing::error!(
                        cause = error.cause(),
                        "the store cannot be read after a failed commit"
                    );
                }
                return commit.fail(failure);
            }
        }
        match self.show(&group.catalog) {
            Ok(()) => commit.following = Ok(()),
            // The changes are durable nevertheless; readers see them after the next commit.
            Err(error) => {
                tracing::error!(
                    cause = error.cause(),
                    "a change was saved, and readers see it after the next one: it cannot be read"
                );
                commit.following = Err(CommitFailure::Unread(Arc::new(error)));
            }
        }
    }

    /// Writes a group to the store, unless another process has committed since the group began.
    fn write_batches(
        &self,
        group: &Group,
        writer: Option<Box<dyn Writer + '_>>,
    ) -> Result<(), CommitFailure> {
        let writer = writer.map_or_else(|| self.store.writer(), Ok)?;
        // Under the writer, so that no other process can commit between this comparison and the
        // write.
        if writer.revision() != group.base {
            // Not only the records of the group are compared: a post could otherwise get a tag
            // while another process deletes the tag.
            return Err(CommitFailure::Overtaken);
        }
        // Checked last, after everything that may take long.
        if group.life.as_ref().is_some_and(|life| life.is_over()) {
            return Err(CommitFailure::LifeOver);
        }
        let batches: Vec<&Batch> = group.batches.iter().map(AsRef::as_ref).collect();
        writer.commit(&batches)?;
        Ok(())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // No code under this lock panics halfway, so a poisoned lock still holds a consistent
        // queue.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A commit in progress. Dropping it publishes the result to all waiters, even after a panic.
struct CommitInProgress<'s> {
    site: &'s Site,
    group: Arc<Group>,
    /// The result of the group.
    outcome: Result<(), CommitFailure>,
    /// The failure of the transactions based on this group, if they are invalid.
    following: Result<(), CommitFailure>,
}

impl<'s> CommitInProgress<'s> {
    fn of(site: &'s Site, group: Arc<Group>) -> Self {
        Self {
            site,
            group,
            outcome: Err(CommitFailure::Panicked),
            following: Err(CommitFailure::Panicked),
        }
    }

    fn fail(mut self, failure: CommitFailure) {
        self.outcome = Err(failure.clone());
        self.following = Err(failure);
    }
}

impl Drop for CommitInProgress<'_> {
    fn drop(&mut self) {
        let mut queue = self.site.queue();
        // Under the lock together with the results below, so that no waiter sees one without the
        // other.
        queue.committing = None;
        let mut based_on_it = None;
        if let Err(failure) = &self.following {
            // A transaction in progress may have read records of the failed group; `join` refuses such a transaction.
            queue.failure = Some(failure.clone());
            based_on_it = queue.forming.take();
        }
        // A result is set only here, and once: the groups have left the queue.
        let _ = self.group.commit_result.set(self.outcome.clone());
        if let Some(group) = based_on_it {
            let _ = group.commit_result.set(self.following.clone());
        }
        // The lock is released first; otherwise waiters would wake only to wait for it.
        drop(queue);
        self.site.settled.notify_all();
    }
}
