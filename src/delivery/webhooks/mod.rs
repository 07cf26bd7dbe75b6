//! Sends the waiting deliveries of webhooks over HTTP, in order, with retries after increasing
//! waits.
//!
//! A thread is woken after each commit that queued a delivery. It finds the queues with waiting
//! heads, with one read of the store for each. Sender threads, which exist while there is work,
//! take one queue each and send its deliveries in order over one connection, until the queue is
//! empty or an attempt fails. Then the head waits until it is due, without delaying other queues. A
//! separate thread (`recorder.rs`) records the results of many deliveries together in one commit. A
//! crash repeats the deliveries since the last of these commits, with the same identifiers, and
//! loses none.
//!
//! Senders keep the site open only while they read from it, so a receiver that does not respond
//! does not prevent a site from closing.

mod attempt;
mod queues;
mod recorder;
mod scheduling;
mod sender;
mod shared_state;

use std::{
    sync::{Arc, Condvar, Mutex, mpsc},
    thread::{self, JoinHandle},
};

use self::scheduling::run;
use self::shared_state::{SharedState, WebhookThreadMessage};
use super::metrics::DeliveryMetrics;
use crate::{
    body_memory::BodyMemory,
    error::{Error, Result},
    outbound::{AllowedAddresses, WebhookClient},
    site::{CommitTopic, LeasedSite},
};

/// The settings of webhook deliveries.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// The hosts that are allowed as receivers.
    pub allowed_addresses: AllowedAddresses,
    /// The version of the API in which events are sent, such as `v6.65`.
    pub content_version: String,
    /// The memory budget for bodies of deliveries.
    pub memory: Arc<BodyMemory>,
}

/// Sends webhooks until dropped.
pub struct WebhookDeliverer {
    shared: Arc<SharedState>,
    threads: Vec<JoinHandle<()>>,
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
        let (message_sender, messages) = mpsc::channel();
        let waker = message_sender.clone();
        site.on_commit(CommitTopic::Webhooks, move || {
            // Fails once the thread has ended.
            let _ = waker.send(WebhookThreadMessage::Queues);
        });
        let shared = Arc::new(SharedState {
            site: site.downgrade(),
            client: WebhookClient::new(options.allowed_addresses),
            content_version: options.content_version,
            memory: options.memory,
            metrics,
            queues: Mutex::default(),
            queue_ready: Condvar::new(),
            record: Condvar::new(),
            message_sender,
        });
        // Before the threads start, so that no delivery is sent which such a task is to fail.
        shared.resume_tasks(&site)?;
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
    /// Waits briefly for the requests in flight.
    fn drop(&mut self) {
        // Set before the notifications: a thread that wakes reads the flag under the same lock.
        self.shared.queues().is_stopping = true;
        self.shared.queue_ready.notify_all();
        self.shared.record.notify_all();
        // The scheduling thread waits for messages, not for the condition variables.
        let _ = self.shared.message_sender.send(WebhookThreadMessage::Stop);
        for thread in self.threads.drain(..) {
            // A panic in the thread has already been logged.
            let _ = thread.join();
        }
    }
}
