//! A site with webhooks, a clock that tests set, and delivery.

use std::{ops::Deref, sync::Arc};

use galley::{
    clock::Clock,
    delivery::{MailOptions, WebhookOptions},
    domain::{
        webhook::Webhook,
        webhook_delivery::{FinishedDelivery, WebhookDelivery},
    },
    id::Id,
    store::{Store, memory::MemoryStore},
};
use galley_tests::{
    clocked_site::{ClockedSite, webhook_options},
    deliverer::Deliverer,
    wait::PATIENCE,
    wait_until,
    webhook_receiver::{Delivery, WebhookReceiver},
};
use jiff::{SignedDuration, Timestamp};

/// A site with webhooks.
pub struct WebhookSite(pub ClockedSite);

impl Deref for WebhookSite {
    type Target = ClockedSite;

    fn deref(&self) -> &ClockedSite {
        &self.0
    }
}

impl WebhookSite {
    pub fn new() -> Self {
        Self::on(MemoryStore::new())
    }

    /// Returns a site on a store.
    pub fn on(store: impl Store + 'static) -> Self {
        Self(ClockedSite::on(store))
    }

    pub fn deliver(&self) -> Deliverer {
        self.deliver_by(webhook_options())
    }

    pub fn deliver_by(&self, options: WebhookOptions) -> Deliverer {
        self.0.deliver(MailOptions::default(), options)
    }

    /// Adds a webhook with this URL and a secret, and returns its id.
    pub fn webhook(&self, target_url: &str) -> Id {
        let now = self.clock.now();
        let write = self.site.write(|transaction| {
            let known = transaction
                .catalog()
                .integrations()
                .next()
                .map(|known| known.id);
            let integration = match known {
                Some(known) => known,
                None => transaction.add_integration("A", None)?.id,
            };
            let webhook = Webhook {
                id: Id::generate(now).unwrap(),
                event: "post.edited".into(),
                target_url: target_url.into(),
                name: None,
                secret: Some("s3cret".into()),
                api_version: "v6.65".into(),
                integration,
                last_triggered_at: None,
                last_triggered_status: None,
                last_triggered_error: None,
                created_at: now,
                updated_at: now,
            };
            transaction.save_webhook(webhook.clone())?;
            Ok(webhook.id)
        });
        write.unwrap()
    }

    /// Returns the current record of a webhook.
    pub fn known(&self, id: Id) -> Option<Arc<Webhook>> {
        self.site.current().catalog.webhooks.get(id).cloned()
    }

    /// Queues these payloads for a webhook, in one transaction.
    pub fn queue(&self, webhook: Id, bodies: &[&str]) {
        let write = self.site.write(|transaction| {
            let mut bodies = bodies.iter();
            bodies.try_for_each(|body| {
                transaction.queue_webhook_delivery(webhook, "post.edited", (*body).into())
            })
        });
        write.unwrap();
    }

    /// Queues the same payload for each of these webhooks, in one transaction.
    pub fn queue_each(&self, webhooks: &[Id], body: &str) {
        let write = self.site.write(|transaction| {
            let mut webhooks = webhooks.iter();
            webhooks.try_for_each(|id| {
                transaction.queue_webhook_delivery(*id, "post.edited", body.into())
            })
        });
        write.unwrap();
    }

    pub fn clock_now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn advance_clock(&self, time: SignedDuration) {
        self.clock.set(self.clock.now() + time);
    }

    pub fn waiting(&self, webhook: Id) -> usize {
        self.site.current().waiting_count(webhook).unwrap()
    }

    /// Returns the delivery at the head of a queue.
    pub fn head(&self, webhook: Id) -> Option<WebhookDelivery> {
        let snapshot = self.site.current();
        let waiting = snapshot.waiting_deliveries(webhook, &Default::default(), 1, 1);
        waiting.unwrap().pop()
    }

    /// Returns the time of the next attempt of the delivery at the head of a queue.
    pub fn due_at(&self, webhook: Id) -> Option<Timestamp> {
        self.head(webhook)?.progress.due_at
    }

    /// Returns the delivery log of a webhook, newest first.
    pub fn log(&self, webhook: Id) -> Vec<FinishedDelivery> {
        let snapshot = self.site.current();
        snapshot.finished_deliveries(webhook, 0, 1000).unwrap().0
    }

    pub fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        wait_until(what, || holds(self));
    }

    /// Waits until the delivery at the head of a queue has failed `failures` times.
    pub fn wait_for_failures(&self, webhook: Id, failures: u32) {
        self.wait(&format!("{failures} attempts failed"), |site| {
            let head = site.head(webhook);
            head.is_some_and(|head| head.progress.failures == failures)
        });
    }

    /// Sets the clock to the next attempt of the delivery at the head of a queue.
    pub fn pass_until_due(&self, webhook: Id) {
        let due_at = self.due_at(webhook).unwrap();
        self.clock.set(due_at + SignedDuration::from_secs(1));
    }
}

/// Waits for the next delivery, and returns it.
pub fn next(receiver: &WebhookReceiver) -> Delivery {
    receiver.delivery_within(None, PATIENCE).unwrap()
}

/// Waits for the next deliveries, and returns their bodies.
pub fn next_bodies(receiver: &WebhookReceiver, count: usize) -> Vec<String> {
    let bodies = (0..count).map(|_| String::from_utf8(next(receiver).body).unwrap());
    bodies.collect()
}
