//! The thread that renews a node and looks for leases that are over.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    error::{Error, Result},
    leadership::{heartbeat_period::period, local_node::LocalNode},
    site::{Liveness, NodeLife, Work},
    store::{NewNode, NodeId, Nodes, StoreError},
};

/// Returns how much earlier than the store this process considers itself dead. An act that it has just begun then ends
/// before another process leads.
fn margin(node: &NewNode) -> Duration {
    node.lease_time / 5
}

/// Joins, scans the leases once, and continues to renew and scan in a thread, which tries again if the store cannot be
/// reached.
///
/// # Errors
///
/// If the store refuses, or the system cannot create a thread.
pub(super) fn start(node: &Arc<LocalNode>) -> Result<JoinHandle<()>> {
    match node.beat() {
        // The site is then served from the last local state.
        Err(error) if error.is_of_unavailable_store() => {}
        beaten => beaten?,
    }
    let beating = Arc::clone(node);
    let thread = thread::Builder::new().name("heartbeat".to_owned());
    thread.spawn(move || beating.run()).map_err(Error::internal)
}

impl LocalNode {
    fn run(&self) {
        let mut failures = 0_u32;
        while self.waits_for_next() {
            let beaten = self.beat();
            // The thread that follows the store reports an outage, which it notices before the second failure.
            match &beaten {
                Ok(()) => self.site.record_accepted_change(),
                Err(error) if failures > 0 => self.site.record_refused_change(error),
                Err(_) => {}
            }
            // The thread that follows the store reports the outage, so it is not counted here.
            if self.site.store_lost_since().is_some() {
                continue;
            }
            if let Err(error) = &beaten
                && failures == 1
            {
                tracing::error!(
                    cause = error.cause(),
                    "the store refuses changes of this process; readers are served, trying again"
                );
            }
            if failures > 1 && beaten.is_ok() {
                tracing::info!("the store accepts changes of this process again");
            }
            failures = match beaten {
                Ok(()) => 0,
                Err(_) => failures.saturating_add(1),
            };
        }
        // All workers have stopped, so the changes that are still in progress belong to requests,
        // which may be finished.
        self.site.leave_life();
        let alive = self.state().alive.take();
        if let (Some((id, liveness)), Some(nodes)) = (alive, self.site.nodes()) {
            // Ended first: workers must not act any more when other processes may take over.
            liveness.end();
            if let Err(error) = nodes.leave(id) {
                tracing::warn!(%error, "this process could not leave; other processes take over after its lease time");
            }
        }
    }

    /// Waits until the next heartbeat is due. Returns `false` once all workers have stopped.
    fn waits_for_next(&self) -> bool {
        let until = Instant::now() + period(&self.new_node);
        let mut state = self.state();
        while !state.has_stopped {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return true;
            }
            let waited = self.scanned.wait_timeout(state, remaining);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Renews the node, or joins as a new node if it is dead, and scans the leases.
    fn beat(&self) -> Result<()> {
        let Some(nodes) = self.site.nodes() else {
            return Ok(());
        };
        let id = match self.renew(nodes)? {
            Some(id) => id,
            None => self.join(nodes)?,
        };
        self.scan(nodes, id)
    }

    /// Renews the node, if it is alive. Returns `None` if it is dead.
    fn renew(&self, nodes: &dyn Nodes) -> Result<Option<NodeId>, StoreError> {
        // Cloned, so that no lock is held during the request to the store.
        let alive = self.state().alive.clone();
        let Some((id, liveness)) = alive else {
            return Ok(None);
        };
        if liveness.is_alive() {
            let deadline = self.deadline();
            let revision = self.site.current().catalog.revision;
            // The deadline was taken before the request, so the store considers the node alive for
            // longer than this process does, however long the request takes.
            if nodes.renew(id, revision)? && liveness.prolong(deadline) {
                return Ok(Some(id));
            }
        }
        // The node's leases are over, even if the store has not noticed yet.
        liveness.end();
        self.state().alive = None;
        nodes.leave(id)?;
        Ok(None)
    }

    fn join(&self, nodes: &dyn Nodes) -> Result<NodeId, StoreError> {
        let deadline = self.deadline();
        let id = nodes.join(&self.new_node)?;
        let liveness = Arc::new(Liveness::until(deadline));
        let mut state = self.state();
        // After a stop, the requests that arrived meanwhile are read and refused first. On a busy machine, a hundred of
        // them take seconds.
        let pause = if state.has_joined {
            2 * margin(&self.new_node)
        } else {
            Duration::ZERO
        };
        state.has_joined = true;
        let life = NodeLife::new(Arc::clone(&liveness), pause);
        state.alive = Some((id, liveness));
        self.site.begin_life(life);
        Ok(id)
    }

    /// Returns until when a node is alive that is renewed now.
    fn deadline(&self) -> Instant {
        Instant::now() + self.new_node.lease_time - margin(&self.new_node)
    }

    /// Finds the leases that are over.
    fn scan(&self, nodes: &dyn Nodes, own: NodeId) -> Result<()> {
        // In this order: a node that is named by a lease has joined before, so if it is not alive now, it is dead for good.
        let leases = self.site.leases()?;
        let alive: BTreeSet<NodeId> = nodes.alive()?.into_iter().map(|node| node.id).collect();
        // A lease of this node that no thread holds comes from a commit whose result was unknown.
        let is_led = |id: NodeId| id != own && alive.contains(&id);
        let is_free = |work: &Work| {
            let lease = leases.get(work);
            !lease.and_then(|lease| lease.node()).is_some_and(is_led)
        };
        let free = Work::ALL.iter().copied().filter(is_free).collect();
        let mut state = self.state();
        state.leases = leases;
        state.free = free;
        drop(state);
        self.scanned.notify_all();
        Ok(())
    }
}
