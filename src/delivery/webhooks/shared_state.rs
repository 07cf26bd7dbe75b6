//! The state that the threads of webhooks share.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::Duration,
};

use crate::{
    body_memory::BodyMemory,
    delivery::{metrics::DeliveryMetrics, webhooks::queues::Queues},
    outbound::WebhookClient,
    site::WeakLeasedSite,
};

/// Time limit for requests in flight when the program stops, after which they are left to the next
/// start.
pub(super) const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// The state that all threads share.
pub(super) struct SharedState {
    pub(super) site: WeakLeasedSite,
    pub(super) client: WebhookClient,
    pub(super) content_version: String,
    pub(super) memory: Arc<BodyMemory>,
    pub(super) metrics: Arc<DeliveryMetrics>,
    pub(super) queues: Mutex<Queues>,
    /// Notified when a queue is ready, a result is recorded, or the program stops.
    pub(super) queue_ready: Condvar,
    /// Notified when there are results or tasks, and when a sender ends.
    pub(super) record: Condvar,
    pub(super) message_sender: Sender<WebhookThreadMessage>,
}

/// A message to the scheduling thread.
pub(super) enum WebhookThreadMessage {
    /// A delivery was queued or recorded, or a queue was released.
    Queues,
    /// The program stops.
    Stop,
}

impl SharedState {
    pub(super) fn queues(&self) -> MutexGuard<'_, Queues> {
        // No code panics under this lock, so a poisoned lock still holds consistent queues.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the scheduling thread examine the queues.
    pub(super) fn wake_scheduler(&self) {
        // Fails if the program has stopped.
        let _ = self.message_sender.send(WebhookThreadMessage::Queues);
    }
}
