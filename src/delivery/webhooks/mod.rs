//! Sends the waiting deliveries of webhooks by HTTP, in order, with retries after growing waits.
//!
//! A thread is woken after each commit that queued a delivery, and finds the queues with waiting
//! heads, with one read of the store for each. Sender threads, which exist while there is work,
//! take a queue each and send its deliveries one after the other over one connection, until it is
//! empty or an attempt fails; then the head waits until it is due, and no other queue waits for it.
//! The results of many deliveries are recorded together in one commit, by a separate thread
//! (`recorder.rs`): a crash repeats the deliveries since the last one, with the same identifiers,
//! and loses none.
//!
//! Senders hold on to the site only while they read from it, so that a receiver that does not
//! respond does not prevent a site from closing.

mod attempt;
mod queues;
mod recorder;
mod sender;

use std::{
    collections::HashSet,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use queues::{QueueTask, Queues};

use super::metrics::DeliveryMetrics;
use crate::{
    body_memory::BodyMemory,
    error::{Error, Result},
    outbound::{Reach, WebhookClient},
    site::{CommitTopic, LeasedSite, QueueHead, SiteSnapshot, WeakLeasedSite},
};

/// Interval at which the clock is read while a delivery waits until it is due: clocks are set, and machines
/// sleep.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Interval at which the queues are examined without a notification.
const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Time limit of requests under way when the program stops, before they are left to the next
/// start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// The settings of webhook deliveries.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// The hosts that may be receivers.
    pub reach: Reach,
    /// The version of the API that events are in, such as `v6.65`.
    pub content_version: String,
    /// The memory that bodies of deliveries count against.
    pub memory: Arc<BodyMemory>,
}

/// Sends webhooks until it is dropped.
pub struct WebhookDeliverer {
    shared: Arc<SharedState>,
    threads: Vec<JoinHandle<()>>,
}

/// The state that all threads share.
struct SharedState {
    site: WeakLeasedSite,
    client: WebhookClient,
    content_version: String,
    memory: Arc<BodyMemory>,
    metrics: Arc<DeliveryMetrics>,
    queues: Mutex<Queues>,
    /// Notified when a queue is ready, a result is recorded, or the program stops.
    queue_ready: Condvar,
    /// Notified when there are results or tasks, and when a sender ends.
    record: Condvar,
    news: Sender<WebhookThreadMessage>,
}

/// A message to the scheduling thread.
enum WebhookThreadMessage {
    /// A delivery was queued or recorded, or a queue was released.
    Queues,
    /// The program stops.
    Stop,
}

impl WebhookDeliverer {
    /// Sends the waiting deliveries, and continues in threads.
    ///
    /// # Errors
    ///
    /// If no thread can be started, or the store cannot be read.
    pub fn start(
        site: impl Into<LeasedSite>,
        options: WebhookOptions,
        metrics: Arc<DeliveryMetrics>,
    ) -> Result<Self> {
        let site = site.into();
        let (news, messages) = mpsc::channel();
        let waker = news.clone();
        site.on(CommitTopic::Webhooks, move || {
            // Fails once the thread has ended.
            let _ = waker.send(WebhookThreadMessage::Queues);
        });
        let shared = Arc::new(SharedState {
            site: site.downgrade(),
            client: WebhookClient::new(options.reach),
            content_version: options.content_version,
            memory: options.memory,
            metrics,
            queues: Mutex::default(),
            queue_ready: Condvar::new(),
            record: Condvar::new(),
            news,
        });
        // Before the threads: no delivery may be sent that a task is to fail.
        shared.resume_chores(&site)?;
        let mut deliverer = Self {
            shared: Arc::clone(&shared),
            threads: Vec::new(),
        };
        let recording = (Arc::clone(&shared), site.clone());
        deliverer.spawn("webhook records", move || {
            recorder::run(&recording.0, &recording.1);
        })?;
        deliverer.spawn("webhooks", move || run(&shared, &site, &messages))?;
        Ok(deliverer)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(Error::internal)?);
        Ok(())
    }
}

impl Drop for WebhookDeliverer {
    /// Waits briefly for the requests that are under way.
    fn drop(&mut self) {
        // Before the notifications: a thread that wakes reads the mark under the same lock.
        self.shared.queues().is_stopping = true;
        self.shared.queue_ready.notify_all();
        self.shared.record.notify_all();
        let _ = self.shared.news.send(WebhookThreadMessage::Stop);
        for thread in self.threads.drain(..) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

impl SharedState {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        // No code under this lock panics halfway, so a poisoned lock still holds consistent queues.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the scheduling thread examine the queues.
    fn wake_scheduler(&self) {
        // Fails if the program has stopped.
        let _ = self.news.send(WebhookThreadMessage::Queues);
    }

    /// Continues the tasks that another process had not finished.
    fn resume_chores(&self, site: &LeasedSite) -> Result<()> {
        let snapshot = site.current();
        let mut last = None;
        while let Some(head) = snapshot.next_waiting(last, |_, _| false)? {
            if snapshot.webhook_fails_before(head.webhook)?.is_some() {
                self.queues().order(QueueTask::FailOlder(head.webhook));
            }
            last = Some(head.webhook);
        }
        Ok(())
    }

    /// Examines the head of each queue.
    fn examine_queues(&self, site: &LeasedSite) -> Result<()> {
        // In this order: deliveries recorded in between are in both, and skipped.
        let over = self.queues().over();
        let snapshot = site.current();
        let is_over = |webhook, number| {
            let over = over.get(&webhook);
            over.is_some_and(|over| over.contains(&number))
        };
        let mut waiting = HashSet::new();
        let mut last = None;
        while let Some(head) = snapshot.next_waiting(last, is_over)? {
            last = Some(head.webhook);
            waiting.insert(head.webhook);
            self.examine_head(&snapshot, head)?;
        }
        self.queues().forget_empty(&waiting);
        Ok(())
    }

    fn examine_head(&self, snapshot: &SiteSnapshot, head: QueueHead) -> Result<()> {
        let Some(webhook) = snapshot.catalog.webhooks.get(head.webhook) else {
            // Rows of a deleted webhook can be many, so they are deleted in steps, outside the
            // transaction that deleted it.
            self.queues().order(QueueTask::DeleteRows(head.webhook));
            self.record.notify_all();
            return Ok(());
        };
        // A receiver that was never reached is not known to be fast.
        let is_suspect =
            webhook.last_triggered_error.is_some() || webhook.last_triggered_at.is_none();
        let is_unknown = self.queues().update_head(head, is_suspect);
        if is_unknown {
            let delivery = snapshot.waiting_delivery(head.webhook, head.number)?;
            let progress = delivery.map(|delivery| delivery.progress);
            self.queues()
                .update_progress(head, progress.unwrap_or_default());
        }
        Ok(())
    }

    /// Starts senders for the due deliveries.
    fn start_senders(self: &Arc<Self>, site: &LeasedSite) {
        // Requests are acts outside the store, which no commit can refuse afterwards.
        if !site.leads() {
            return;
        }
        let now = site.now();
        let mut queues = self.queues();
        queues.wake_due(now);
        for _ in 0..queues.senders_needed() {
            // Counted before the thread runs: the next round must not start one more for the same
            // queue.
            queues.senders += 1;
            let shared = Arc::clone(self);
            let sender = thread::Builder::new().name("webhook sender".to_owned());
            if let Err(error) = sender.spawn(move || sender::run(&shared)) {
                queues.senders -= 1;
                tracing::error!(%error, "a sender thread for webhooks cannot be started");
                break;
            }
        }
        // Released before the notification, or the woken senders would wait for the lock.
        drop(queues);
        self.queue_ready.notify_all();
    }
}

/// Examines the queues until the program stops.
fn run(shared: &Arc<SharedState>, site: &LeasedSite, messages: &Receiver<WebhookThreadMessage>) {
    let mut scanned_at = None;
    let mut has_additions = true;
    loop {
        if has_additions || scanned_at.is_none_or(|at: Instant| at.elapsed() >= FULL_SCAN_INTERVAL)
        {
            scanned_at = Some(Instant::now());
            if let Err(error) = shared.examine_queues(site) {
                tracing::error!(
                    cause = error.cause(),
                    "the queues of webhooks cannot be read; trying again"
                );
            }
        }
        shared.start_senders(site);
        let patience = if shared.queues().waits_for_time() {
            POLL_INTERVAL
        } else {
            FULL_SCAN_INTERVAL
        };
        has_additions = match messages.recv_timeout(patience) {
            Ok(WebhookThreadMessage::Queues) => true,
            Ok(WebhookThreadMessage::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => false,
        };
        // Several notifications need only one examination.
        loop {
            match messages.try_recv() {
                Ok(WebhookThreadMessage::Queues) => {}
                Ok(WebhookThreadMessage::Stop) => return,
                Err(_) => break,
            }
        }
    }
}
