//! Leading: which work that must be done once this process does, next to others that share the store.
//!
//! A store of one process: all work, from the beginning, and nothing here costs anything. A shared
//! one: the process joins as a node, and a thread (`heartbeat.rs`) renews the node and scans for
//! leases whose nodes are dead. For each work a thread waits until it gets the lease, starts the
//! workers, and stops them when the lease is over. The node leaves once all its workers have
//! stopped, so that others take over immediately and not before.
//!
//! Whether a lease is free is seen in this order: its record is read, and then its node is not among
//! those alive. A dead node stays dead, so a transaction that finds the same record may replace it.

mod heartbeat;
mod led_work;

use std::{
    collections::BTreeMap,
    error::Error as StdError,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

pub use led_work::LedWork;

use crate::{
    error::Result,
    site::{LeaseNumber, LeaseRecord, LeasedSite, Liveness, Site, Work},
    store::{NewNode, NodeId},
};

/// The workers that run while this process leads, until they are dropped.
pub type Workers = Box<dyn Send + Sync>;

/// The lease time, if nothing else is set.
pub const DEFAULT_LEASE_TIME: Duration = Duration::from_secs(10);

/// Leads work until it is dropped.
pub struct Leadership {
    site: Arc<Site>,
    led: Arc<LedWork>,
    /// The workers of a store that belongs to this process.
    workers: Vec<Workers>,
    /// The node, if the store is shared.
    node: Option<Arc<LocalNode>>,
    keepers: Vec<JoinHandle<()>>,
    heartbeat: Option<JoinHandle<()>>,
}

/// The right of this process to do some work.
struct Held {
    site: LeasedSite,
    /// The lease that it follows from, if the store is shared.
    lease: Option<(LeaseNumber, Arc<Liveness>)>,
}

/// This process as a node.
struct LocalNode {
    site: Arc<Site>,
    new_node: NewNode,
    led: Arc<LedWork>,
    state: Mutex<NodeState>,
    /// Notified after each scan of the leases, and when the program stops.
    scanned: Condvar,
}

#[derive(Default)]
struct NodeState {
    /// The node that is alive as far as this process knows.
    alive: Option<(NodeId, Arc<Liveness>)>,
    /// The leases at the last scan.
    leases: BTreeMap<Work, LeaseRecord>,
    /// The work whose last lease was over then, or without one.
    free: Vec<Work>,
    /// True if this process has joined before.
    has_joined: bool,
    /// True if the workers are to stop.
    is_stopping: bool,
    /// True if they have stopped.
    has_stopped: bool,
}

impl Leadership {
    /// Joins the processes that share the store of `site`, if it is shared.
    ///
    /// # Errors
    ///
    /// If the store refuses, or no thread can be started. While it cannot be reached, this process leads nothing.
    pub fn join(site: Arc<Site>, new_node: NewNode) -> Result<Self> {
        let mut leadership = Self {
            site: Arc::clone(&site),
            led: Arc::default(),
            workers: Vec::new(),
            node: None,
            keepers: Vec::new(),
            heartbeat: None,
        };
        if site.nodes().is_some() {
            let node = Arc::new(LocalNode {
                site,
                new_node,
                led: Arc::clone(&leadership.led),
                state: Mutex::default(),
                scanned: Condvar::new(),
            });
            leadership.heartbeat = Some(heartbeat::start(&node)?);
            leadership.node = Some(node);
        }
        Ok(leadership)
    }

    /// Does `work` whenever this process leads it, by the workers that `start` starts. If it leads
    /// immediately, they run when this returns.
    ///
    /// # Errors
    ///
    /// The error of `start`, if this process leads immediately; or that no thread can be started.
    pub fn lead<E>(
        &mut self,
        work: Work,
        mut start: impl FnMut(LeasedSite) -> Result<Workers, E> + Send + 'static,
    ) -> Result<(), E>
    where
        E: StdError + From<io::Error> + 'static,
    {
        let held = self.begin(work);
        let first = held.as_ref().map(|held| start(held.site.clone()));
        let first = first.transpose()?;
        self.keep(work, held.zip(first), start)
    }

    /// Does `work` as [`lead`](Self::lead) does, started by `first` if this process leads immediately.
    ///
    /// # Errors
    ///
    /// The errors of [`lead`](Self::lead), with `first` in place of `start`.
    pub fn lead_first<E>(
        &mut self,
        work: Work,
        first: impl FnOnce(LeasedSite) -> Result<Workers, E>,
        start: impl FnMut(LeasedSite) -> Result<Workers, E> + Send + 'static,
    ) -> Result<(), E>
    where
        E: StdError + From<io::Error> + 'static,
    {
        let held = self.begin(work);
        let first = held.as_ref().map(|held| first(held.site.clone()));
        let first = first.transpose()?;
        self.keep(work, held.zip(first), start)
    }

    /// Returns the work that this process leads, which changes with time.
    pub fn led(&self) -> Arc<LedWork> {
        Arc::clone(&self.led)
    }

    /// Returns the right to do some work, if this process has it now.
    fn begin(&self, work: Work) -> Option<Held> {
        match &self.node {
            None => Some(Held {
                site: LeasedSite::from(Arc::clone(&self.site)),
                lease: None,
            }),
            Some(node) => node.take_if_free(work),
        }
    }

    /// Holds on to workers, and starts others whenever this process leads again.
    fn keep<E>(
        &mut self,
        work: Work,
        first: Option<(Held, Workers)>,
        mut start: impl FnMut(LeasedSite) -> Result<Workers, E> + Send + 'static,
    ) -> Result<(), E>
    where
        E: StdError + From<io::Error> + 'static,
    {
        let Some(node) = &self.node else {
            if let Some((_, workers)) = first {
                self.led.begin(work, None);
                self.workers.push(workers);
            }
            return Ok(());
        };
        let node = Arc::clone(node);
        let keeper = thread::Builder::new().name(format!("lead {}", work.name()));
        self.keepers.push(keeper.spawn(move || {
            if let Some((held, workers)) = first {
                node.run_until_over(work, &held, workers);
            }
            while let Some(held) = node.wait_for(work) {
                match start(held.site.clone()) {
                    Ok(workers) => node.run_until_over(work, &held, workers),
                    Err(error) => node.release(work, &held, &error),
                }
            }
        })?);
        Ok(())
    }
}

impl Drop for Leadership {
    /// Stops all workers, and leaves.
    fn drop(&mut self) {
        // In reverse order, because later workers may depend on earlier ones.
        while let Some(workers) = self.workers.pop() {
            drop(workers);
        }
        let Some(node) = &self.node else {
            return;
        };
        node.state().is_stopping = true;
        node.scanned.notify_all();
        for keeper in self.keepers.drain(..) {
            // A panic in the thread was logged when it happened.
            let _ = keeper.join();
        }
        node.state().has_stopped = true;
        node.scanned.notify_all();
        if let Some(heartbeat) = self.heartbeat.take() {
            let _ = heartbeat.join();
        }
    }
}

impl LocalNode {
    fn state(&self) -> MutexGuard<'_, NodeState> {
        // No code under this lock panics halfway, so a poisoned lock still holds a consistent state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next scan of the leases, or until the workers are to stop.
    fn wait<'n>(&self, state: MutexGuard<'n, NodeState>) -> MutexGuard<'n, NodeState> {
        let waited = self
            .scanned
            .wait_timeout(state, heartbeat::period(&self.new_node));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Takes the lease of some work over, if it was free at the last scan.
    fn take_if_free(&self, work: Work) -> Option<Held> {
        if !self.site.accepts_changes() {
            return None;
        }
        let (id, liveness, found) = {
            let state = self.state();
            let (id, liveness) = state.alive.clone()?;
            let is_free = state.free.contains(&work);
            (
                id,
                liveness,
                is_free.then(|| state.leases.get(&work).cloned())?,
            )
        };
        let name = &self.new_node.name;
        let taken = self
            .site
            .write(|change| change.take_lease(work, found.as_ref(), id, name));
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
        Some(Held {
            site: LeasedSite::with_lease(site, lease, Arc::clone(&liveness)),
            lease: Some((lease, liveness)),
        })
    }

    /// Waits until this process leads some work; `None` if it stops.
    fn wait_for(&self, work: Work) -> Option<Held> {
        let mut state = self.state();
        while !state.is_stopping {
            drop(self.wait(state));
            if let Some(held) = self.take_if_free(work) {
                return Some(held);
            }
            state = self.state();
        }
        None
    }

    /// Waits until the lease is over or the program stops, and stops the workers.
    fn run_until_over(&self, work: Work, held: &Held, workers: Workers) {
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
        // An outage of the store was reported already.
        if !state.is_stopping && self.site.store_lost_since().is_none() {
            tracing::warn!(
                work = work.name(),
                "this process leads no longer: it did not reach the store in time, or was stopped for a while"
            );
        }
        drop(state);
        drop(workers);
    }

    /// Releases work whose workers cannot be started here, so that another process takes it over,
    /// and waits before it may come back.
    fn release<E: StdError + 'static>(&self, work: Work, held: &Held, error: &E) {
        log_error(
            "work could not be started; another process may lead it",
            work,
            error,
        );
        if let Some((lease, _)) = held.lease
            && let Err(error) = self.site.write(|change| change.release_lease(lease))
        {
            log_error("a lease could not be released", work, &error);
        }
        let until = Instant::now() + self.new_node.lease_time;
        let mut state = self.state();
        while !state.is_stopping && Instant::now() < until {
            state = self.wait(state);
        }
    }
}

impl Held {
    /// Returns whether the lease is over, given the last ones.
    fn is_over(&self, leases: &BTreeMap<Work, LeaseRecord>) -> bool {
        let Some((lease, liveness)) = &self.lease else {
            return false;
        };
        let is_replaced = leases
            .get(&lease.work)
            .is_some_and(|last| last.number() > lease.number);
        is_replaced || !liveness.is_alive()
    }
}

fn log_error(what: &str, work: Work, error: &(dyn StdError + 'static)) {
    tracing::error!(error, work = work.name(), "{what}");
}
