//! This process as a node: acquires, holds and releases leases.

use std::{
    collections::BTreeMap,
    error::Error as StdError,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use crate::{
    leadership::{heartbeat_period, held_work::HeldWork, led_work::LedWork},
    site::{LeaseRecord, LeasedSite, Liveness, Site, Work},
    store::{NewNode, NodeId},
};

/// The workers that run while this process leads. They stop when this is dropped.
pub type Workers = Box<dyn Send + Sync>;

/// This process as a node.
pub(super) struct LocalNode {
    pub(super) site: Arc<Site>,
    pub(super) new_node: NewNode,
    pub(super) led: Arc<LedWork>,
    pub(super) state: Mutex<NodeState>,
    /// Notified after each scan of the leases, and when the program stops.
    pub(super) scanned: Condvar,
}

#[derive(Default)]
pub(super) struct NodeState {
    /// The node, while it is alive as far as this process knows.
    pub(super) alive: Option<(NodeId, Arc<Liveness>)>,
    /// The leases at the last scan.
    pub(super) leases: BTreeMap<Work, LeaseRecord>,
    /// The work whose lease was over at the last scan, or that had no lease.
    pub(super) free: Vec<Work>,
    /// True if this process has joined before.
    pub(super) has_joined: bool,
    /// True if the workers should stop.
    pub(super) is_stopping: bool,
    /// True if the workers have stopped.
    pub(super) has_stopped: bool,
}

impl LocalNode {
    pub(super) fn state(&self) -> MutexGuard<'_, NodeState> {
        // No code panics under this lock, so a poisoned lock still holds a consistent state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next scan of the leases, or until the workers should stop.
    fn wait<'n>(&self, state: MutexGuard<'n, NodeState>) -> MutexGuard<'n, NodeState> {
        let waited = self
            .scanned
            .wait_timeout(state, heartbeat_period::period(&self.new_node));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Takes over the lease of some work, if it was free at the last scan.
    pub(super) fn take_if_free(&self, work: Work) -> Option<HeldWork> {
        // After a stop, the site refuses all changes for a moment, so the lease could not be
        // committed.
        if !self.site.accepts_changes() {
            return None;
        }
        // The lock ends before the commit, which may wait for the store.
        let (id, liveness, previous) = {
            let state = self.state();
            if !state.free.contains(&work) {
                return None;
            }
            let (id, liveness) = state.alive.clone()?;
            (id, liveness, state.leases.get(&work).cloned())
        };
        let name = &self.new_node.name;
        let taken = self
            .site
            .write(|transaction| transaction.take_lease(work, previous.as_ref(), id, name));
        let lease = match taken {
            Ok(taken) => taken?,
            Err(error) => {
                log_error(
                    "a lease could not be taken over; trying again",
                    work,
                    &error,
                );
                return None;
            }
        };
        tracing::info!(work = work.name(), node = %name, "this process leads");
        let site = Arc::clone(&self.site);
        Some(HeldWork {
            site: LeasedSite::with_lease(site, lease, Arc::clone(&liveness)),
            lease: Some((lease, liveness)),
        })
    }

    /// Waits until this process leads some work. Returns `None` when the program stops.
    pub(super) fn wait_for(&self, work: Work) -> Option<HeldWork> {
        let mut state = self.state();
        while !state.is_stopping {
            // Released before the lease is taken, which locks the state again.
            drop(self.wait(state));
            if let Some(held) = self.take_if_free(work) {
                return Some(held);
            }
            state = self.state();
        }
        None
    }

    /// Waits until the lease is over or the program stops, and stops the workers.
    pub(super) fn run_until_over(&self, work: Work, held: &HeldWork, workers: Workers) {
        let liveness = held
            .lease
            .as_ref()
            .map(|(_, liveness)| Arc::clone(liveness));
        self.led.begin(work, liveness);
        let mut state = self.state();
        while !state.is_stopping && !held.is_over(&state.leases) {
            state = self.wait(state);
        }
        self.led.end(work);
        // An outage of the store has already been reported.
        if !state.is_stopping && self.site.store_lost_since().is_none() {
            tracing::warn!(
                work = work.name(),
                "this process no longer leads: it did not reach the store in time, or was stopped for a while"
            );
        }
        // Released before the workers stop, which may take long: the heartbeat needs the state
        // meanwhile.
        drop(state);
        drop(workers);
    }

    /// Releases work whose workers cannot be started here, so that another process can take it over.
    /// Then waits before this process may lead it again.
    pub(super) fn release<E: StdError + 'static>(&self, work: Work, held: &HeldWork, error: &E) {
        log_error(
            "work could not be started; another process may lead it",
            work,
            error,
        );
        if let Some((lease, _)) = held.lease
            && let Err(error) = self
                .site
                .write(|transaction| transaction.release_lease(lease))
        {
            log_error("a lease could not be released", work, &error);
        }
        // Otherwise this process would take the released lease again before another process has
        // seen that it is free.
        let until = Instant::now() + self.new_node.lease_time;
        let mut state = self.state();
        while !state.is_stopping && Instant::now() < until {
            state = self.wait(state);
        }
    }
}

pub(super) fn log_error(message: &str, work: Work, error: &(dyn StdError + 'static)) {
    tracing::error!(error, work = work.name(), "{message}");
}
