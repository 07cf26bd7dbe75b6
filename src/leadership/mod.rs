//! Leadership: which of the processes that share a store does the work that must be done only once.
//!
//! If a store belongs to one process, that process leads all work from the beginning, without any overhead. For a
//! shared store, the process joins as a node, and a thread (`heartbeat.rs`) renews the node and looks for leases
//! whose nodes are dead. For each kind of work, a thread waits until it gets the lease, starts the workers, and
//! stops them when the lease is over. The node leaves after all its workers have stopped, so other processes take
//! over immediately, but not earlier.
//!
//! A lease is found to be free in this order: its record is read first, and then its node is not among those
//! alive. A dead node stays dead, so a transaction that finds the same record may replace it.

mod heartbeat;
mod heartbeat_period;
mod held_work;
mod led_work;
mod local_node;

pub use self::local_node::Workers;

use std::{
    error::Error as StdError,
    io,
    sync::{Arc, Condvar, Mutex},
    thread::{self, JoinHandle},
    time::Duration,
};

pub use led_work::LedWork;

use self::held_work::HeldWork;
use self::local_node::LocalNode;
use crate::{
    error::Result,
    site::{LeasedSite, Site, Work},
    store::NewNode,
};

/// The default lease time.
pub const DEFAULT_LEASE_TIME: Duration = Duration::from_secs(10);

/// Leads work until dropped.
pub struct Leadership {
    site: Arc<Site>,
    led: Arc<LedWork>,
    /// The workers, if the store belongs to this process.
    workers: Vec<Workers>,
    /// The node, if the store is shared.
    node: Option<Arc<LocalNode>>,
    keepers: Vec<JoinHandle<()>>,
    heartbeat: Option<JoinHandle<()>>,
}

impl Leadership {
    /// Joins the processes that share the store of `site`, if it is shared.
    ///
    /// # Errors
    ///
    /// If the store refuses, or no thread can be started. If the store cannot be reached, this succeeds, and the
    /// process leads nothing until it can.
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
            // Scans the leases before it returns, so that `lead` can take a free lease immediately.
            leadership.heartbeat = Some(heartbeat::start(&node)?);
            leadership.node = Some(node);
        }
        Ok(leadership)
    }

    /// Does `work` whenever this process leads it, with the workers that `start` starts. If this process leads
    /// immediately, the workers are running on return.
    ///
    /// # Errors
    ///
    /// The error of `start`, if this process leads immediately; if no thread can be started.
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

    /// Does `work` like [`lead`](Self::lead), but calls `first` instead of `start` if this process leads
    /// immediately.
    ///
    /// # Errors
    ///
    /// The errors of [`lead`](Self::lead), with `first` instead of `start`.
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

    /// Returns the work that this process leads, which is updated over time.
    pub fn led(&self) -> Arc<LedWork> {
        Arc::clone(&self.led)
    }

    /// Returns the right to do some work, if this process has it now.
    fn begin(&self, work: Work) -> Option<HeldWork> {
        match &self.node {
            None => Some(HeldWork {
                site: LeasedSite::from(Arc::clone(&self.site)),
                lease: None,
            }),
            Some(node) => node.take_if_free(work),
        }
    }

    /// Keeps the first workers, and starts new ones whenever this process leads again.
    fn keep<E>(
        &mut self,
        work: Work,
        first: Option<(HeldWork, Workers)>,
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
            // Leads again after an outage or a suspension, with new workers.
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
    /// Stops all workers, and leaves the nodes of the store.
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
            // A panic in the thread has already been logged.
            let _ = keeper.join();
        }
        // Set only after all workers have stopped: the heartbeat renews the node until then, so no
        // other process leads at the same time.
        node.state().has_stopped = true;
        node.scanned.notify_all();
        if let Some(heartbeat) = self.heartbeat.take() {
            let _ = heartbeat.join();
        }
    }
}
