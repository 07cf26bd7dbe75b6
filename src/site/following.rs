//! Following the store: shows readers the commits of other processes, with work proportional to the changes.
//!
//! The site that readers see is replaced under a lock, both after commits of this process and by the thread that
//! follows those of other processes. So readers never see an older site than before.

use std::{
    collections::BTreeSet,
    sync::{Arc, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use super::{
    CommitTopic, Site, SiteSnapshot, changed_records::ChangedRecords, changed_texts,
    commit_listeners::CommitTopics, tables,
};
use crate::{
    catalog::Catalog,
    error::{Error, Result},
    id::Id,
    store::{ChangedKeys, Snapshot, Table},
};

/// Interval of checks for commits of other processes when no notification arrives. It is also the maximum time until
/// a stop is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

impl Site {
    /// Shows readers the commits of other processes, and wakes the threads that wait for such commits.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read. Readers then still see the
    /// previous site.
    pub fn follow(&self) -> Result<()> {
        // Without a lock: if another thread shows a commit in between, `refresh` only does needless
        // work.
        if self.store.snapshot()?.revision() == self.current().catalog.revision {
            return Ok(());
        }
        self.refresh()
    }

    /// Shows readers the commits of other processes as soon as they exist, until `is_stopping`. Returns immediately
    /// if the store belongs to this process.
    ///
    /// While the store is not available, readers see the previous site.
    pub fn follow_others(&self, is_stopping: impl Fn() -> bool) {
        let Some(mut commits) = self.store.commits_of_others() else {
            return;
        };
        let mut is_available = self.store_lost_since().is_none();
        while !is_stopping() {
            // Follows without a notification as well, because notifications are lost with a connection.
            let followed = commits.wait(POLL_INTERVAL).map_err(Error::from);
            match followed.and_then(|()| self.follow()) {
                Ok(()) => {
                    self.store_reach.found();
                    if !is_available {
                        tracing::info!("the store is available again");
                    }
                    is_available = true;
                }
                Err(error) => {
                    if is_available {
                        tracing::error!(
                            cause = error.cause(),
                            "the store cannot be followed; readers see the last state, trying again"
                        );
                    }
                    is_available = false;
                    self.record_lost_store();
                    thread::sleep(POLL_INTERVAL);
                }
            }
        }
    }

    /// Shows readers all commits of other processes so far, if the store is shared. A client then sees every change
    /// that any of the processes has acknowledged to it. While the store is not available, readers see the previous
    /// site.
    pub fn follow_at_once(&self) {
        if self.is_shared() && self.store_lost_since().is_none() && self.follow().is_err() {
            self.record_lost_store();
        }
    }

    /// Records that a request found the store unreachable.
    pub fn record_lost_store(&self) {
        self.store_reach.lost(self.now());
    }

    /// Returns whether other processes may change the site.
    pub fn is_shared(&self) -> bool {
        self.store.nodes().is_some()
    }

    /// Shows readers the current content of the store in a new snapshot: a store that had to reopen its file has
    /// invalidated earlier snapshots.
    pub(super) fn refresh(&self) -> Result<()> {
        let showing = self.showing();
        // Under the lock, so that no other thread replaces the shown site between this line and
        // `advance`.
        let before = Arc::clone(&self.current());
        let snapshot = self.store.snapshot()?;
        let changes = self.advance(before.catalog.clone(), snapshot)?;
        // Before the listeners are woken: they read the shown site and must not wait for this lock.
        drop(showing);
        let after = self.current();
        let (texts, topics) = match &changes {
            Some(changes) => texts_and_topics(changes, &before.catalog, &after.catalog),
            None => (
                [&before.catalog, &after.catalog]
                    .into_iter()
                    .flat_map(|catalog| catalog.posts.iter().map(|post| post.id))
                    .collect(),
                CommitTopics::all(),
            ),
        };
        self.changed_texts.add(texts);
        self.commit_listeners.notify(topics);
        Ok(())
    }

    /// Shows readers the site after a commit of this process, and later commits of other processes.
    pub(super) fn show(&self, committed: &Catalog) -> Result<()> {
        // Held until the site is replaced: otherwise an older site could replace a newer one.
        let _showing = self.showing();
        // A follower of the store may have shown this commit already, with later ones.
        if self.current().catalog.revision < committed.revision {
            let snapshot = self.store.snapshot()?;
            self.advance(committed.clone(), snapshot)?;
        }
        Ok(())
    }

    /// Returns the catalog of this revision, if readers see that revision or it is the last one of the store.
    pub(super) fn catalog_at(&self, revision: u64) -> Result<Option<Catalog>> {
        if self.current().catalog.revision != revision {
            self.follow()?;
        }
        let current = self.current();
        Ok((current.catalog.revision == revision).then(|| current.catalog.clone()))
    }

    /// Updates `catalog` to `snapshot` and shows both to readers. Returns the changes in between, or `None` if all
    /// records were read again. The caller holds the lock for showing.
    fn advance(
        &self,
        mut catalog: Catalog,
        snapshot: Box<dyn Snapshot>,
    ) -> Result<Option<ChangedRecords>> {
        let changes = self.changes_between(catalog.revision, snapshot.revision())?;
        match &changes {
            Some(changes) => {
                tables::update(&mut catalog, snapshot.as_ref(), changes)?;
                catalog.revision = snapshot.revision();
                if tables::reach_readers(changes) {
                    catalog.readers_revision = catalog.revision;
                }
            }
            None => catalog = tables::catalog(snapshot.as_ref())?,
        }
        // The following thread may have shown a commit of this process before. It cannot see that the commit is
        // hidden from readers, so `readers_revision` may already be higher.
        let seen = self.current().catalog.readers_revision;
        catalog.readers_revision = catalog.readers_revision.max(seen);
        self.current
            .store(Arc::new(SiteSnapshot { catalog, snapshot }));
        Ok(changes)
    }

    /// Returns the keys that the commits after `revision` changed, or `None` if the store no longer knows them.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn changed_keys_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>> {
        Ok(self.store.changes_since(revision)?)
    }

    /// Returns the records that changed after the first revision up to the second, if the store knows the commits.
    fn changes_between(&self, first: u64, last: u64) -> Result<Option<ChangedRecords>> {
        if first == last {
            return Ok(Some(ChangedRecords::default()));
        }
        let Some(commits) = self.store.changes_since(first)? else {
            return Ok(None);
        };
        let mut changes = ChangedRecords::default();
        // The store may know later commits than the snapshot shows.
        for commit in commits.iter().filter(|commit| commit.revision <= last) {
            for (table, key) in &*commit.keys {
                changes.add(*table, key.clone());
            }
        }
        // If the store's revision is lower than the catalog's, the store has a different history (a restored backup), so
        // everything is read again.
        Ok((first < last).then_some(changes))
    }

    fn showing(&self) -> MutexGuard<'_, ()> {
        // A poisoned lock is safe: the shown site is replaced in one step.
        self.showing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the posts whose search text may have changed, and the topics of the changes.
fn texts_and_topics(
    changes: &ChangedRecords,
    before: &Catalog,
    after: &Catalog,
) -> (BTreeSet<Id>, CommitTopics) {
    let texts = changed_texts::between(before, after, |table| changes.ids(table));
    let mut topics = CommitTopics::default();
    for (table, topic) in [
        (Table::Outbox, CommitTopic::Mail),
        (Table::WebhookDeliveries, CommitTopic::Webhooks),
        (Table::WebhookEvents, CommitTopic::Webhooks),
        (Table::Emails, CommitTopic::Newsletters),
        (Table::Changes, CommitTopic::Changes),
        (Table::FileEdits, CommitTopic::FileEdits),
        (Table::Leases, CommitTopic::Leases),
        // The language of the site is a setting, and changes how texts are searched.
        (Table::Settings, CommitTopic::Texts),
    ] {
        if changes.touches(table) {
            topics.add(topic);
        }
    }
    if !texts.is_empty() {
        topics.add(CommitTopic::Texts);
    }
    (texts, topics)
}
