//! All open connections: how many are allowed, in total and per peer, and which one is closed when there are too many.
//!
//! A client that opens connections and leaves them idle cannot lock out others: at the limit, the connection that has been
//! idle for longest is closed. A connection with a request in flight is never closed to make room.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{debug, warn};

use crate::counters::Counter;

use super::activity::Activity;
use super::http_metrics::ServerMetrics;
use super::limits::LiveLimits;

/// Interval of searches for an idle connection while the limit is reached.
const FULL_RETRY: Duration = Duration::from_millis(50);

/// Time for clients that have just connected to send their request when the server stops: a few round trips for a
/// handshake.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// Maximum time in which connections close after they were ordered to close immediately.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The open connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    limits: Arc<ArcSwap<LiveLimits>>,
    open: Mutex<OpenConnections>,
    closed: Notify,
    metrics: Option<Arc<ServerMetrics>>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next_id: u64,
    members: HashMap<u64, Member>,
    per_peer: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Member {
    activity: Arc<Activity>,
    orders: Arc<Orders>,
}

impl Connections {
    pub(super) fn new(
        limits: Arc<ArcSwap<LiveLimits>>,
        metrics: Option<Arc<ServerMetrics>>,
    ) -> Self {
        Connections {
            limits,
            open: Mutex::default(),
            closed: Notify::new(),
            metrics,
        }
    }

    /// Returns a slot for a new connection, waiting for one if necessary; `None` if `peer` has reached its limit.
    pub(super) async fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = network(peer);
        loop {
            // Created before the check, so that a connection that closes in between is not missed.
            let closed = self.closed.notified();
            {
                // Loaded for each attempt, because the limits can change while this waits.
                let limits = **self.limits.load();
                let mut open = self.open();
                // The limit per peer is checked first: a peer at its limit must not close the idle connections of others.
                if open.per_peer.get(&peer).copied().unwrap_or(0) >= limits.connections_per_peer_max
                {
                    debug!(%peer, "too many connections of one peer");
                    self.count(|metrics| &metrics.refused);
                    return None;
                }
                if open.members.len() < limits.connections_max {
                    return Some(self.enter(&mut open, peer));
                }
                // Only requests that the connection closes: its task may just have received a
                // request.
                open.close_longest_idle(Duration::ZERO);
            }
            // The connection that was requested to close may have begun a request meanwhile. So another one is searched for
            // even if none closes.
            let _ = timeout(FULL_RETRY, closed).await;
        }
    }

    fn enter(self: &Arc<Self>, open: &mut OpenConnections, peer: IpAddr) -> ConnectionSlot {
        self.count(|metrics| &metrics.opened);
        let id = open.next_id;
        open.next_id += 1;
        let activity = Arc::new(Activity::new());
        let orders = Arc::new(Orders::default());
        let member = Member {
            activity: Arc::clone(&activity),
            orders: Arc::clone(&orders),
        };
        open.members.insert(id, member);
        *open.per_peer.entry(peer).or_default() += 1;
        ConnectionSlot {
            id,
            peer,
            activity,
            orders,
            connections: Arc::clone(self),
        }
    }

    /// Closes the connection that has been idle for longest, if it has been idle for at least
    /// `quiet_min`.
    pub(super) fn close_longest_idle(&self, quiet_min: Duration) {
        self.open().close_longest_idle(quiet_min);
    }

    /// Lets requests in flight, and requests that clients are about to send, finish within `time`, then closes the
    /// remaining connections. The caller accepts no new ones.
    pub(super) async fn stop(&self, time: Duration) {
        // Clients that had just connected lost their request in restarts under systemd before this
        // step existed.
        let drain = DRAIN_TIME.min(time);
        self.order_all(ConnectionOrder::Drain);
        if self.all_closed_within(drain).await {
            return;
        }
        self.order_all(ConnectionOrder::Finish);
        if !self.all_closed_within(time - drain).await {
            warn!(
                connections = self.open().members.len(),
                "requests did not finish in {time:?} and are cut off"
            );
            self.order_all(ConnectionOrder::Close);
            self.all_closed_within(CLOSE_TIMEOUT).await;
        }
    }

    fn order_all(&self, order: ConnectionOrder) {
        for member in self.open().members.values() {
            member.orders.give(order);
        }
    }

    async fn all_closed_within(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            let closed = self.closed.notified();
            if self.open().members.is_empty() {
                return true;
            }
            if timeout_at(deadline, closed).await.is_err() {
                return false;
            }
        }
    }

    fn leave(&self, id: u64, peer: IpAddr) {
        let mut open = self.open();
        open.members.remove(&id);
        self.count(|metrics| &metrics.closed);
        if let Some(count) = open.per_peer.get_mut(&peer) {
            *count -= 1;
            // Removed, because otherwise each address that ever connected would need memory.
            if *count == 0 {
                open.per_peer.remove(&peer);
            }
        }
        // Stores a permit if no task is waiting, so a slot that becomes free between the check and the wait is not missed.
        self.closed.notify_one();
    }

    fn count(&self, counter: impl FnOnce(&ServerMetrics) -> &Counter) {
        if let Some(metrics) = &self.metrics {
            counter(metrics).one();
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        // Each change is complete before anything that could panic, so a poisoned lock is safe to use.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn close_longest_idle(&self, quiet_min: Duration) {
        let quietest = self
            .members
            .values()
            .filter_map(|member| Some((member.activity.quiet()?, member)))
            .filter(|(quiet, _)| quiet.began.elapsed() >= quiet_min)
            .min_by_key(|(quiet, _)| quiet.began);
        if let Some((quiet, member)) = quietest {
            // Requested before the wake-up, so that the woken task sees it.
            member.activity.request_close(quiet);
            member.orders.wake();
        }
    }
}

/// Returns the network that counts as one peer: an IPv6 client can pick any address of its /64.
pub(super) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        v4 => v4,
    }
}

/// A slot of a connection, freed on drop.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    id: u64,
    peer: IpAddr,
    pub(super) activity: Arc<Activity>,
    pub(super) orders: Arc<Orders>,
    connections: Arc<Connections>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.leave(self.id, self.peer);
    }
}

/// An order to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum ConnectionOrder {
    /// Continue.
    Serve,
    /// Close after the next response. A client that has just connected or is about to send a request still gets one.
    Drain,
    /// Finish the requests in flight, then close.
    Finish,
    /// Close now.
    Close,
}

/// Passes the latest order to a connection's task.
#[derive(Debug, Default)]
pub(super) struct Orders {
    order: AtomicU8,
    task: Mutex<Option<Waker>>,
}

impl Orders {
    /// Sets the task to wake from now on.
    pub(super) fn belong_to(&self, task: &Waker) {
        *self.task() = Some(task.clone());
    }

    /// Returns the current order.
    pub(super) fn current(&self) -> ConnectionOrder {
        // Relaxed: the lock of `task` orders this load and the store in `give`.
        match self.order.load(Ordering::Relaxed) {
            0 => ConnectionOrder::Serve,
            1 => ConnectionOrder::Drain,
            2 => ConnectionOrder::Finish,
            _ => ConnectionOrder::Close,
        }
    }

    fn give(&self, order: ConnectionOrder) {
        // Stored before the lock is taken: a task that registers later sees the order itself.
        self.order.store(order as u8, Ordering::Relaxed);
        self.wake();
    }

    fn wake(&self) {
        if let Some(task) = &*self.task() {
            task.wake_by_ref();
        }
    }

    fn task(&self) -> MutexGuard<'_, Option<Waker>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
