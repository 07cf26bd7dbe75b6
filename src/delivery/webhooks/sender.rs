//! A sender thread for webhooks: it processes one queue after the other, and ends after being idle
//! for a while.

use std::{
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{attempt, queues::Queues};
use crate::{
    body_memory::HeldMemory,
    delivery::webhooks::shared_state::SharedState,
    domain::{
        webhook::Webhook,
        webhook_delivery::{End, WebhookDelivery},
        webhook_retry,
    },
    error::Result,
    id::Id,
    site::LeasedSite,
};

/// Time after which an idle sender ends.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// Time for which a sender stays with one queue while others are waiting.
const TURN: Duration = Duration::from_secs(1);

/// A receiver that takes longer counts as suspect, like one that fails.
const SLOW: Duration = Duration::from_secs(2);

/// Maximum time for which a sender waits for memory, and the interval of its checks.
const MEMORY_PATIENCE: Duration = Duration::from_secs(10);
const MEMORY_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of deliveries that are read from the store together, and the total length of their bodies,
/// in bytes, at which reading stops.
const READ_AT_ONCE: usize = 64;
const READ_BYTES: usize = 1 << 20;

/// Total length of bodies, in bytes, above which a sender waits for memory.
const READ_BYTES_LONG: usize = 2 * READ_BYTES;

/// Sends waiting deliveries until the thread has been idle for a while, or the program stops.
pub(super) fn run(shared: &Arc<SharedState>) {
    let mut ending = SenderGuard {
        shared,
        in_progress: None,
    };
    while let Some(webhook) = next(shared) {
        ending.in_progress = Some(webhook);
        process_queue(shared, webhook);
        ending.in_progress = None;
    }
}

/// Unregisters a sender when its thread ends. After a panic, it also releases the queue.
struct SenderGuard<'s> {
    shared: &'s SharedState,
    in_progress: Option<Id>,
}

impl Drop for SenderGuard<'_> {
    fn drop(&mut self) {
        let mut queues = self.shared.queues();
        queues.senders -= 1;
        if let Some(webhook) = self.in_progress {
            queues.release_to_recheck(webhook);
        }
        drop(queues);
        self.shared.record.notify_all();
    }
}

/// Returns the next queue; `None` if the thread should end.
fn next(shared: &SharedState) -> Option<Id> {
    let until = Instant::now() + IDLE_MAX;
    let mut queues = shared.queues();
    loop {
        // Checked again after each wait, because both can change meanwhile.
        if queues.is_stopping || !shared.site.leads() {
            return None;
        }
        if let Some(webhook) = queues.take_ready() {
            return Some(webhook);
        }
        // `None` ends the thread: it has been idle for long enough.
        let remaining = until.checked_duration_since(Instant::now())?;
        queues.idle += 1;
        let waited = shared.queue_ready.wait_timeout(queues, remaining);
        queues = waited.unwrap_or_else(PoisonError::into_inner).0;
        queues.idle -= 1;
    }
}

/// The result of reading a queue.
enum QueueRead {
    /// The next deliveries, with the memory reserved for them.
    Next(Vec<WebhookDelivery>, HeldMemory),
    /// The queue appears empty.
    Nothing,
    /// The webhook or the site no longer exists.
    Gone,
}

/// Sends the deliveries of one webhook, until the queue is empty, an attempt fails, or other queues
/// have waited long enough.
fn process_queue(shared: &Arc<SharedState>, webhook: Id) {
    let until = Instant::now() + TURN;
    loop {
        let read = match read(shared, webhook) {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(
                    cause = error.cause(),
                    %webhook,
                    "the queue of a webhook cannot be read; trying again"
                );
                shared.queues().release_to_recheck(webhook);
                return;
            }
        };
        match read {
            // The memory is reserved until the deliveries are sent.
            QueueRead::Next(deliveries, _held) => {
                if !send_all(shared, webhook, deliveries, until) {
                    return;
                }
            }
            QueueRead::Nothing => {
                if shared.queues().release_if_empty(webhook) {
                    return;
                }
            }
            QueueRead::Gone => {
                shared.queues().release_to_recheck(webhook);
                shared.wake_scheduler();
                return;
            }
        }
    }
}

/// Reads the next deliveries. Long bodies are read once there is memory for them, or without a reservation
/// after a while.
fn read(shared: &SharedState, webhook: Id) -> Result<QueueRead> {
    let mut held = shared.memory.hold();
    let Some(deliveries) = next_deliveries(shared, webhook)? else {
        return Ok(QueueRead::Gone);
    };
    let bytes = body_bytes(&deliveries);
    let deliveries = if bytes <= READ_BYTES_LONG {
        deliveries
    } else {
        // Read again below, because memory for long bodies is reserved before they are read, not after.
        drop(deliveries);
        wait_for_memory(shared, &mut held, bytes);
        let Some(deliveries) = next_deliveries(shared, webhook)? else {
            return Ok(QueueRead::Gone);
        };
        deliveries
    };
    // After the maximum wait they are sent without a reservation, so that no delivery waits forever.
    held.overdraw_up_to(body_bytes(&deliveries));
    Ok(if deliveries.is_empty() {
        QueueRead::Nothing
    } else {
        QueueRead::Next(deliveries, held)
    })
}

/// Returns the next deliveries of a webhook; `None` if the webhook or the site no longer exists.
fn next_deliveries(shared: &SharedState, webhook: Id) -> Result<Option<Vec<WebhookDelivery>>> {
    // In this order: deliveries that are recorded in between are in both, and are skipped.
    let over = shared.queues().begin_to_read(webhook);
    let Some(site) = shared.site.upgrade() else {
        return Ok(None);
    };
    let snapshot = site.current();
    if snapshot.catalog.webhooks.get(webhook).is_none() {
        return Ok(None);
    }
    let deliveries = snapshot.waiting_deliveries(webhook, &over, READ_AT_ONCE, READ_BYTES)?;
    Ok(Some(deliveries))
}

fn body_bytes(deliveries: &[WebhookDelivery]) -> usize {
    deliveries.iter().map(|delivery| delivery.body.len()).sum()
}

/// Reserves memory for `bytes` once requests and other senders leave enough. Stops waiting after
/// [`MEMORY_PATIENCE`].
fn wait_for_memory(shared: &SharedState, held: &mut HeldMemory, bytes: usize) {
    let until = Instant::now() + MEMORY_PATIENCE;
    while held.take_up_to(bytes).is_err() {
        if Instant::now() >= until || shared.queues().is_stopping {
            return;
        }
        thread::sleep(MEMORY_POLL_INTERVAL);
    }
}

/// Sends these deliveries. Returns `false` if the queue was released.
fn send_all(
    shared: &SharedState,
    id: Id,
    deliveries: Vec<WebhookDelivery>,
    until: Instant,
) -> bool {
    for delivery in deliveries {
        let Some(webhook) = may_continue(shared, id, &delivery, until) else {
            return false;
        };
        if !send(shared, &webhook, delivery) {
            return false;
        }
    }
    true
}

/// Returns the current webhook; `None` if the queue was released instead.
fn may_continue(
    shared: &SharedState,
    id: Id,
    delivery: &WebhookDelivery,
    until: Instant,
) -> Option<Arc<Webhook>> {
    let site = shared.site.upgrade();
    let queues = shared.queues();
    let waiting = |queues: &mut Queues| queues.is_full() && !queues.is_stopping;
    let waited = shared.queue_ready.wait_while(queues, waiting);
    let mut queues = waited.unwrap_or_else(PoisonError::into_inner);
    // The last check before the request: another process may have taken over.
    let may_send = |site: &LeasedSite| !queues.is_stopping && site.leads();
    let Some(site) = site.filter(may_send) else {
        queues.release_to_recheck(id);
        return None;
    };
    let now = site.now();
    let webhook = site.current().catalog.webhooks.get(id).cloned();
    let is_due = webhook_retry::is_due(&delivery.progress, now);
    let Some(webhook) = webhook.filter(|_| is_due) else {
        queues.release_to_recheck(id);
        shared.wake_scheduler();
        return None;
    };
    if Instant::now() >= until && queues.has_ready_queues() {
        queues.release_ready(id);
        shared.queue_ready.notify_one();
        return None;
    }
    Some(webhook)
}

/// Sends one delivery. Returns `false` if the queue was released.
fn send(shared: &SharedState, webhook: &Webhook, delivery: WebhookDelivery) -> bool {
    // The handle is dropped immediately, so that a slow receiver does not keep the site open.
    let Some(now) = shared.site.upgrade().map(|site| site.now()) else {
        shared.queues().release_to_recheck(webhook.id);
        return false;
    };
    let bytes = delivery.body.len();
    let began = Instant::now();
    let (client, version) = (&shared.client, &shared.content_version);
    let result = attempt::send(client, version, webhook, delivery, now);
    shared.metrics.webhook(&result.end);
    let has_failed = result.attempt.error.is_some();
    let is_slow = began.elapsed() >= SLOW;
    // After a failure, the queue waits for the record, which decides when or whether the next
    // attempt is made.
    let holds = !matches!(result.end, End::Finished(_)) || has_failed;
    let mut queues = shared.queues();
    queues.add_result(result, bytes, has_failed || is_slow, holds);
    // The queue of a slow receiver goes to the end, so that its next delivery counts as one to a suspect
    // receiver.
    if !holds && is_slow {
        queues.release_ready(webhook.id);
    }
    drop(queues);
    shared.record.notify_all();
    !holds && !is_slow
}
