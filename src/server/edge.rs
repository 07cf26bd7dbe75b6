//! The state that all connections share.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use arc_swap::ArcSwap;
use hyper_util::{rt::TokioExecutor, server::conn::auto};
use tokio::{
    runtime::{Handle, Runtime},
    sync::Semaphore,
};

use crate::{
    api::handler::Handler,
    body_memory::BodyMemory,
    server::{
        busy_poll::BusyPoll,
        change_waiters::ChangeWaiters,
        connections::Connections,
        http_metrics::{LocalCounters, ServerMetrics},
        https::Https,
        limits::{Limits, LiveLimits},
        protocols,
        send_budget::SendBudget,
    },
};

/// The state that all connections share.
pub(super) struct Edge<H> {
    pub(super) handler: Arc<H>,
    pub(super) protocols: auto::Builder<TokioExecutor>,
    pub(super) https: Option<Https>,
    pub(super) connections: Arc<Connections>,
    pub(super) workers: Arc<Semaphore>,
    /// Permits for requests that take long, fewer than there are workers.
    pub(super) long_work: Arc<Semaphore>,
    pub(super) body_memory: Arc<BodyMemory>,
    pub(super) send_budget: Arc<SendBudget>,
    pub(super) change_waiters: Arc<ChangeWaiters>,
    pub(super) limits: Limits,
    pub(super) live: Arc<ArcSwap<LiveLimits>>,
    loops_in_turn: Vec<LoopHandle>,
    turn: AtomicUsize,
}

/// An event loop, and the state that its connections share.
#[derive(Clone)]
pub(super) struct LoopHandle {
    pub(super) event_loop: Handle,
    pub(super) counters: LocalCounters,
    pub(super) busy_poll: Arc<BusyPoll>,
}

impl<H: Handler> Edge<H> {
    pub(super) fn new(
        handler: Arc<H>,
        limits: Limits,
        loops: &[Runtime],
        https: Option<Https>,
        metrics: Option<Arc<ServerMetrics>>,
    ) -> Self {
        let handle = |(number, runtime): (usize, &Runtime)| {
            let busy_poll = Arc::new(BusyPoll::new());
            let task = Arc::clone(&busy_poll);
            runtime.spawn(async move { task.run().await });
            LoopHandle {
                event_loop: runtime.handle().clone(),
                counters: match &metrics {
                    Some(metrics) => metrics.local_counters(number),
                    None => LocalCounters::default(),
                },
                busy_poll,
            }
        };
        let live = Arc::new(ArcSwap::from_pointee(LiveLimits::from(&limits)));
        let change_waiters = Arc::new(ChangeWaiters::new(Arc::clone(&live)));
        let waiters = Arc::clone(&change_waiters);
        handler.on_change(Box::new(move || waiters.notify()));
        let own_memory = || BodyMemory::new(limits.bodies_bytes_max);
        let body_memory = handler.body_memory().unwrap_or_else(own_memory);
        Edge {
            handler,
            change_waiters,
            protocols: protocols::protocols(&limits),
            https,
            loops_in_turn: loops.iter().enumerate().map(handle).collect(),
            connections: Arc::new(Connections::new(Arc::clone(&live), metrics)),
            workers: Arc::new(Semaphore::new(limits.workers)),
            // A quarter, so that requests that take long leave most workers to others.
            long_work: Arc::new(Semaphore::new((limits.workers / 4).max(1))),
            body_memory,
            send_budget: Arc::new(SendBudget::new(limits.responses_bytes_max)),
            live,
            limits,
            turn: AtomicUsize::new(0),
        }
    }

    /// Returns the event loop for the next connection, in round-robin order.
    pub(super) fn next_loop(&self) -> &LoopHandle {
        // Relaxed: only the distribution depends on the number. It may wrap.
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.loops_in_turn.len();
        &self.loops_in_turn[turn]
    }
}
