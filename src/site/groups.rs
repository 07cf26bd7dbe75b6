//! Changes that are committed together: while one group is written to the disk, the next one forms.
//!
//! Closures run one after the other, but no closure waits for the disk. A change that was made joins the group that is
//! forming; whoever finds no commit under way commits that group, and all others wait for it. So one client alone
//! waits for one commit, as ever, and many clients share commits.
//!
//! What holds:
//!
//! - A change is made over all that were made before it: over the store, over the group that is being committed, and over
//!   the one that is forming. The order in which closures run is the order of their effects.
//! - Groups are committed in that order, one at a time, and each is one commit. So what readers see is always whole groups
//!   that are durable.
//! - Who saw a change that is not durable learns nothing of it before it is. A closure that refuses, or that changes
//!   nothing, waits for what it saw as well: its outcome may follow from it.
//! - A group that cannot be committed takes those with it that were made over it. Everything after that begins with what
//!   the store then says.
//! - A closure that fails or panics has joined no group; nobody else notices.
//! - A change that is large is committed alone, while no other is made: no small one waits for its bytes behind its own
//!   back, and none fails because they do not fit.

use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};

use super::{Edition, Site, Transaction, transaction::Made};
use crate::{
    catalog::Catalog,
    error::{Error, Result},
    store::{Batch, StoreError},
};

/// The longest values of a change that shares a commit, in bytes: 1 MiB. What is longer is committed alone.
pub(super) const SHARED_BYTES_MAX: usize = 1 << 20;

/// A change that was made and is not yet durable, as later ones see it.
pub(super) struct Pending {
    /// What it puts and deletes.
    pub batch: Batch,
    /// The revision that its records will have.
    pub revision: u64,
}

/// Changes that become durable together, or none of them.
struct Group {
    changes: Vec<Arc<Pending>>,
    /// The site as the last of them left it.
    catalog: Catalog,
    fate: Arc<Fate>,
}

/// What became of a group; not set until that is known.
pub(super) type Fate = OnceLock<Result<(), Failure>>;

/// Why changes were not committed: one reason for all that it met.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Store(Arc<StoreError>),
    #[error("the commit of this change panicked, and whether it was saved shows with the next one")]
    Panicked,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => Self::internal(error),
            Failure::Panicked => Self::internal(failure),
        }
    }
}

/// The groups that are not durable.
#[derive(Default)]
pub(super) struct Queue {
    committing: Option<Arc<Group>>,
    forming: Option<Group>,
    /// Set while a change that is being made may have seen what failed. It joins nothing then.
    failure: Option<Failure>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.committing.is_none() && self.forming.is_none()
    }

    /// The group that is forming, unless another one is being committed; now this one is.
    fn next_to_commit(&mut self) -> Option<Arc<Group>> {
        if self.committing.is_none() {
            self.committing = self.forming.take().map(Arc::new);
            return self.committing.clone();
        }
        None
    }

    fn groups(&self) -> impl DoubleEndedIterator<Item = &Group> {
        self.committing.as_deref().into_iter().chain(&self.forming)
    }
}

/// What a change finds that is not durable.
#[derive(Default)]
pub(super) struct Seen {
    /// The changes, in the order in which they were made.
    pub changes: Vec<Arc<Pending>>,
    /// What becomes of the last of them, and so of all.
    pub fate: Option<Arc<Fate>>,
}

impl Site {
    /// Begins a change over everything that was made before. The caller is the one who may.
    pub(super) fn begin(&self) -> Result<Transaction> {
        let (seen, catalog) = self.see();
        // Later than what was seen: what became durable in between is in both, and the same.
        let snapshot = self.store.snapshot()?;
        let catalog = match catalog {
            Some(catalog) => catalog,
            None => {
                self.catch_up(snapshot.revision())?;
                self.current().catalog.clone()
            }
        };
        let batch = self.store.batch();
        Ok(Transaction::begin(
            snapshot,
            seen,
            catalog,
            batch,
            self.clock.now(),
            self.announcer.get().cloned(),
        ))
    }

    /// What is not durable yet, and the site with it, if there is anything.
    fn see(&self) -> (Seen, Option<Catalog>) {
        let mut queue = self.queue();
        queue.failure = None;
        let seen = Seen {
            changes: queue
                .groups()
                .flat_map(|group| group.changes.iter().cloned())
                .collect(),
            fate: queue
                .groups()
                .next_back()
                .map(|group| Arc::clone(&group.fate)),
        };
        let catalog = queue
            .groups()
            .next_back()
            .map(|group| group.catalog.clone());
        (seen, catalog)
    }

    /// Adds a change to the group that is forming. The caller still is the one who may make changes.
    pub(super) fn join(&self, made: Made) -> Result<Arc<Fate>> {
        let Made {
            batch,
            mut catalog,
            reaches_readers,
        } = made;
        let mut queue = self.queue();
        if let Some(failure) = &queue.failure {
            return Err(failure.clone().into());
        }
        let committed = match &queue.committing {
            Some(group) => group.catalog.revision,
            None => self.current().catalog.revision,
        };
        catalog.revision = committed + 1;
        if reaches_readers {
            catalog.readers_revision = catalog.revision;
        }
        let change = Arc::new(Pending {
            batch,
            revision: catalog.revision,
        });
        let group = match &mut queue.forming {
            Some(group) => {
                group.changes.push(change);
                group.catalog = catalog;
                group
            }
            none => none.insert(Group {
                changes: vec![change],
                catalog,
                fate: Arc::default(),
            }),
        };
        Ok(Arc::clone(&group.fate))
    }

    /// Waits until nothing is left that is not durable. The caller is the one who may make changes, so nothing is added.
    pub(super) fn wait_for_all(&self) {
        let queue = self.queue();
        let waited = self.settled.wait_while(queue, |queue| !queue.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until it is known what became of a group, and commits it if nobody else does.
    pub(super) fn settle(&self, fate: &Fate) -> Result<()> {
        let mut queue = self.queue();
        loop {
            if let Some(outcome) = fate.get() {
                return outcome.clone().map_err(Error::from);
            }
            queue = match queue.next_to_commit() {
                Some(group) => {
                    drop(queue);
                    self.commit(group);
                    self.queue()
                }
                None => {
                    let woken = self.settled.wait(queue);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    /// Waits until what a change has seen is durable, if it was not.
    pub(super) fn settle_seen(&self, fate: Option<Arc<Fate>>) -> Result<()> {
        fate.map_or(Ok(()), |fate| self.settle(&fate))
    }

    /// Commits a group and shows it to readers.
    fn commit(&self, group: Arc<Group>) {
        let mut commit = Commit::of(self, group);
        let batches: Vec<&Batch> = commit
            .group
            .changes
            .iter()
            .map(|change| &change.batch)
            .collect();
        let revision = match self.store.commit_together(&batches) {
            Ok(revision) => revision,
            Err(error) => {
                self.after_failed_commit();
                return commit.fail(error);
            }
        };
        commit.outcome = Ok(());
        match self.store.snapshot() {
            Ok(snapshot) => {
                let mut catalog = commit.group.catalog.clone();
                catalog.revision = revision;
                self.current.store(Arc::new(Edition { catalog, snapshot }));
                commit.following = Ok(());
            }
            // The changes are durable all the same; readers see them after the next one.
            Err(error) => {
                tracing::error!(%error, "a change was committed and cannot be shown yet");
                commit.following = Err(Failure::Store(Arc::new(error)));
            }
        }
    }

    /// A disk that fails may fail after the commit took hold. What readers see must be what the store says; when that
    /// cannot be read either, the next change tries again.
    ///
    /// The store may have had to open its file again, which older snapshots do not outlive. So readers get a new one even
    /// if nothing was written.
    fn after_failed_commit(&self) {
        let shown = self.store.snapshot().map_err(Error::from);
        let shown = shown.and_then(|snapshot| {
            let catalog = self.current().catalog.clone();
            if snapshot.revision() != catalog.revision {
                return self.catch_up(snapshot.revision());
            }
            self.current.store(Arc::new(Edition { catalog, snapshot }));
            Ok(())
        });
        if let Err(error) = shown {
            tracing::error!(%error, "the store cannot be read after a failed commit");
        }
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

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing under this lock panics halfway.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A commit that is under way. When it goes, all who wait learn what became of it, even if it panicked.
struct Commit<'s> {
    site: &'s Site,
    group: Arc<Group>,
    /// What becomes of the group.
    outcome: Result<(), Failure>,
    /// Whether changes that were made over this group are still good.
    following: Result<(), Failure>,
}

impl<'s> Commit<'s> {
    fn of(site: &'s Site, group: Arc<Group>) -> Self {
        Self {
            site,
            group,
            outcome: Err(Failure::Panicked),
            following: Err(Failure::Panicked),
        }
    }

    fn fail(mut self, error: StoreError) {
        let failure = Failure::Store(Arc::new(error));
        self.outcome = Err(failure.clone());
        self.following = Err(failure);
    }
}

impl Drop for Commit<'_> {
    fn drop(&mut self) {
        let mut queue = self.site.queue();
        queue.committing = None;
        let mut over_it = None;
        if let Err(failure) = &self.following {
            queue.failure = Some(failure.clone());
            over_it = queue.forming.take();
        }
        let fates = [
            (Some(&self.group.fate), &self.outcome),
            (over_it.as_ref().map(|group| &group.fate), &self.following),
        ];
        for (fate, outcome) in fates {
            // A fate is set here alone, and once: the group is in the queue no more.
            let _ = fate.map(|fate| fate.set(outcome.clone()));
        }
        drop(queue);
        self.site.settled.notify_all();
    }
}
