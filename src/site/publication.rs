//! An open publication, and its parts.

use std::{
    collections::BTreeSet,
    sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, RwLock},
};

use arc_swap::{ArcSwap, ArcSwapOption, Guard};
use jiff::Timestamp;

use super::{
    Announcer, CommitTopic, FileWriter, NodeLife, SiteSnapshot,
    changed_texts::ChangedTexts,
    commit_listeners::CommitListeners,
    commit_queue::{CommitFailure, Queue},
    store_reach::{CurrentRefusal, StoreReach, StoreRefusal},
};
use crate::{
    clock::Clock,
    domain::theme::ThemePackages,
    error::{Error, Result},
    id::Id,
    store::Store,
};

/// An open publication.
pub struct Site {
    pub(super) store: Box<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) current: ArcSwap<SiteSnapshot>,
    /// Held while a transaction runs, but not until it is durable.
    pub(super) making: Mutex<()>,
    pub(super) queue: Mutex<Queue>,
    /// Notified when a group's commit has finished.
    pub(super) settled: Condvar,
    /// Held while the site that readers see is replaced.
    pub(super) showing: Mutex<()>,
    /// Whether the store was reachable when commits of other processes were last checked for.
    pub(super) store_reach: StoreReach,
    /// The reason why the store accepts no changes, if it can be read but not changed.
    pub(super) store_refusal: CurrentRefusal,
    /// The life of this process, if the store is shared.
    pub(super) life: ArcSwapOption<NodeLife>,
    pub(super) commit_listeners: CommitListeners,
    pub(super) changed_texts: ChangedTexts,
    /// Serialises the bodies of webhook events. Without it, no events are sent.
    pub(super) announcer: OnceLock<Arc<dyn Announcer>>,
    /// Writes edits of records into their content files. Without it, such records change only when their files change.
    pub(super) file_writer: RwLock<Option<Arc<dyn FileWriter>>>,
    /// The themes, which validate the settings of themes in content files.
    pub(super) theme_packages: OnceLock<Arc<dyn ThemePackages>>,
}

impl Site {
    /// Returns the current snapshot of the site. A caller that holds it blocks nothing.
    pub fn current(&self) -> Guard<Arc<SiteSnapshot>> {
        self.current.load()
    }

    /// Sets the writer of webhook events for the lifetime of the site.
    pub fn announce_with(&self, announcer: Arc<dyn Announcer>) {
        // A second call is ignored: there is only one format of events.
        let _ = self.announcer.set(announcer);
    }

    /// Sets the writer of content files, in place of the previous one.
    pub fn write_files_with(&self, writer: Arc<dyn FileWriter>) {
        // A poisoned lock is safe: the writer is replaced in one step.
        let set = self.file_writer.write();
        *set.unwrap_or_else(PoisonError::into_inner) = Some(writer);
    }

    /// Sets the themes that validate the settings of themes, for the lifetime of the site.
    pub fn check_settings_with(&self, themes: Arc<dyn ThemePackages>) {
        // A second call is ignored: the themes of a site are in one folder.
        let _ = self.theme_packages.set(themes);
    }

    /// Returns the themes that validate the settings of themes.
    pub fn theme_packages(&self) -> Option<Arc<dyn ThemePackages>> {
        self.theme_packages.get().cloned()
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
    /// If the store cannot determine its size.
    pub fn store_bytes(&self) -> Result<u64> {
        Ok(self.store.size_bytes()?)
    }

    /// Returns the last measured size of the store, without a request to the database. `None` if the database cannot be reached
    /// or the size has not been measured yet.
    ///
    /// # Errors
    ///
    /// If the store cannot determine its size.
    pub fn known_store_bytes(&self) -> Result<Option<u64>> {
        if self.store_lost_since().is_some() {
            return Ok(None);
        }
        Ok(self.store.known_size_bytes()?)
    }

    /// Returns since when the store is unreachable, as far as this process knows; `None` if it is reachable. Meanwhile, readers
    /// are served the last state, and changes are refused.
    pub fn store_lost_since(&self) -> Option<Timestamp> {
        self.store_reach.lost_since()
    }

    /// Returns why the store accepts no changes, if it can be read, as far as this process knows.
    pub fn store_refusal(&self) -> Option<Arc<StoreRefusal>> {
        let refusal = self.store_refusal.load_full();
        // An unreachable store accepts no changes either, but is reported as unreachable.
        refusal.filter(|_| self.store_lost_since().is_none())
    }

    /// Records that the store has accepted a change.
    pub fn record_accepted_change(&self) {
        self.store_refusal.store(None);
    }

    /// Records that the store has refused a change of this process. Keeps the time of an earlier refusal.
    pub fn record_refused_change(&self, error: &Error) {
        let before = self.store_refusal.load();
        let since = before
            .as_ref()
            .map_or_else(|| self.now(), |before| before.since);
        self.store_refusal.store(Some(Arc::new(StoreRefusal {
            since,
            reason: error.cause(),
        })));
    }

    /// Records whether the disk has accepted a change, for a site in a file. For a database, the heartbeat of the process
    /// records it.
    pub(super) fn record_disk_result(&self, written: &Result<(), CommitFailure>) {
        if self.is_shared() {
            return;
        }
        match written {
            Ok(()) => self.record_disk_accepts(),
            Err(CommitFailure::Store(error)) => {
                let error = Error::internal(Arc::clone(error));
                if self.store_refusal.load().is_none() {
                    tracing::error!(
                        cause = error.cause(),
                        "the disk refuses changes; readers are served"
                    );
                }
                self.record_refused_change(&error);
            }
            Err(_) => {}
        }
    }

    fn record_disk_accepts(&self) {
        if self.store_refusal.load().is_some() {
            self.record_accepted_change();
            tracing::info!("the disk accepts changes again");
        }
    }

    /// Checks whether a disk that has refused a change accepts changes again; `write` writes a test file to it.
    pub fn retry_disk(&self, write: impl FnOnce() -> std::io::Result<()>) {
        let is_refused = !self.is_shared() && self.store_refusal.load().is_some();
        if is_refused && self.store.writer().is_ok() && write().is_ok() {
            self.record_disk_accepts();
        }
    }

    /// Calls `listener` after each commit that concerns this topic, in place of the previous listener.
    /// It must not block.
    pub fn on_commit(&self, topic: CommitTopic, listener: impl Fn() + Send + Sync + 'static) {
        self.commit_listeners.set(topic, listener);
    }

    /// Starts recording which posts change, for [`take_changed_texts`](Self::take_changed_texts).
    pub fn record_changed_texts(&self) {
        self.changed_texts.record();
    }

    /// Returns the posts and pages whose title, body, tags or authors may have changed, or that were deleted, since the last
    /// call.
    pub fn take_changed_texts(&self) -> BTreeSet<Id> {
        self.changed_texts.take()
    }
}
