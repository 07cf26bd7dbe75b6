//! The scheduling thread: examines the queues, and starts senders.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    delivery::webhooks::{
        queues::QueueTask,
        sender,
        shared_state::{SharedState, WebhookThreadMessage},
    },
    error::Result,
    site::{LeasedSite, QueueHead, SiteSnapshot},
};

/// Interval at which the clock is read while a delivery waits until it is due: clocks may be set, and
/// machines may be suspended.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Interval at which the queues are examined even without a notification.
pub(super) const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(60);

impl SharedState {
    /// Continues the tasks that another process has not finished.
    pub(super) fn resume_tasks(&self, site: &LeasedSite) -> Result<()> {
        let snapshot = site.current();
        let mut last = None;
        while let Some(head) = snapshot.next_waiting(last, |_, _| false)? {
            if snapshot.webhook_fails_before(head.webhook)?.is_some() {
                self.queues().start_task(QueueTask::FailOlder(head.webhook));
            }
            last = Some(head.webhook);
        }
        Ok(())
    }

    /// Examines the head of each queue.
    fn examine_queues(&self, site: &LeasedSite) -> Result<()> {
        // In this order: deliveries that are recorded in between are in both, and are skipped.
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
        // After all heads were examined: a queue that is not in `waiting` has no row left.
        self.queues().forget_empty(&waiting);
        Ok(())
    }

    fn examine_head(&self, snapshot: &SiteSnapshot, head: QueueHead) -> Result<()> {
        let Some(webhook) = snapshot.catalog.webhooks.get(head.webhook) else {
            // A deleted webhook can have many rows, so they are deleted in steps, outside the transaction
            // that deletes the webhook.
            self.queues()
                .start_task(QueueTask::DeleteRows(head.webhook));
            self.record.notify_all();
            return Ok(());
        };
        // A receiver that has never been reached is not known to be fast.
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
        // Requests take effect outside the store, where no commit can refuse them later.
        if !site.leads() {
            return;
        }
        let now = site.now();
        let mut queues = self.queues();
        queues.wake_due(now);
        for _ in 0..queues.senders_needed() {
            // Counted before the thread runs, so that the next round does not start another sender for the
            // same queue.
            queues.senders += 1;
            let shared = Arc::clone(self);
            let sender = thread::Builder::new().name("webhook sender".to_owned());
            if let Err(error) = sender.spawn(move || sender::run(&shared)) {
                queues.senders -= 1;
                tracing::error!(%error, "a sender thread for webhooks cannot be started");
                break;
            }
        }
        // Released before the notification; otherwise the woken senders would wait for the lock.
        drop(queues);
        self.queue_ready.notify_all();
    }
}

/// Examines the queues until the program stops.
pub(super) fn run(
    shared: &Arc<SharedState>,
    site: &LeasedSite,
    messages: &Receiver<WebhookThreadMessage>,
) {
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
