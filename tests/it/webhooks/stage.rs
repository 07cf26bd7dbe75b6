//! A site with webhooks, a clock that tests set, and the sender of deliveries.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use galley::{
    body_memory::BodyMemory,
    clock::{Clock, ManualClock},
    delivery::{MailOptions, WebhookOptions},
    domain::{
        webhook::Webhook,
        webhook_delivery::{FinishedDelivery, WebhookDelivery},
    },
    id::Id,
    outbound::Reach,
    site::Site,
    store::{Store, memory::MemoryStore},
};
use jiff::{SignedDuration, Timestamp};

use crate::{
    deliverer::Deliverer,
    newsletters::whereabouts,
    webhook_receiver::{Delivery, WebhookReceiver},
};

/// How long anything may take that happens at once.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The webhook configuration of tests: loopback is allowed.
pub fn webhook_options() -> WebhookOptions {
    WebhookOptions {
        reach: Reach::Everywhere,
        content_version: "v6.65".to_owned(),
        memory: BodyMemory::new(256 << 20),
    }
}

/// A site with a clock that stands still.
pub struct Stage {
    pub site: Arc<Site>,
    pub clock: Arc<ManualClock>,
}

impl Stage {
    pub fn new() -> Self {
        Self::on(MemoryStore::new())
    }

    /// One whose data is stored here.
    pub fn on(store: impl Store + 'static) -> Self {
        let clock = Arc::new(ManualClock::new("2026-01-02T03:04:05Z".parse().unwrap()));
        let shared: Arc<dyn Clock> = clock.clone();
        let site = Site::open(Box::new(store), shared).unwrap();
        Self {
            site: Arc::new(site),
            clock,
        }
    }

    pub fn deliver(&self) -> Deliverer {
        self.deliver_by(webhook_options())
    }

    pub fn deliver_by(&self, options: WebhookOptions) -> Deliverer {
        let site = Arc::clone(&self.site);
        Deliverer::start(
            site,
            MailOptions::default(),
            options,
            whereabouts(),
            Arc::default(),
        )
        .unwrap()
    }

    /// A webhook of this address, with a secret.
    pub fn webhook(&self, target_url: &str) -> Id {
        let now = self.clock.now();
        let write = self.site.write(|change| {
            let known = change.catalog().integrations().next().map(|known| known.id);
            let integration = match known {
                Some(known) => known,
                None => change.add_integration("A", None)?.id,
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
            change.save_webhook(webhook.clone())?;
            Ok(webhook.id)
        });
        write.unwrap()
    }

    /// The webhook as it is now.
    pub fn known(&self, id: Id) -> Option<Arc<Webhook>> {
        self.site.current().catalog.webhooks.get(id).cloned()
    }

    /// Queues these payloads for a webhook, in one transaction.
    pub fn queue(&self, webhook: Id, bodies: &[&str]) {
        let write = self.site.write(|change| {
            let mut bodies = bodies.iter();
            bodies.try_for_each(|body| {
                change.queue_webhook_delivery(webhook, "post.edited", (*body).into())
            })
        });
        write.unwrap();
    }

    /// Queues the same payload for each of these webhooks, in one transaction.
    pub fn queue_each(&self, webhooks: &[Id], body: &str) {
        let write = self.site.write(|change| {
            let mut webhooks = webhooks.iter();
            webhooks
                .try_for_each(|id| change.queue_webhook_delivery(*id, "post.edited", body.into()))
        });
        write.unwrap();
    }

    pub fn clock_now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn pass(&self, time: SignedDuration) {
        self.clock.set(self.clock.now() + time);
    }

    pub fn waiting(&self, webhook: Id) -> usize {
        self.site.current().waiting_count(webhook).unwrap()
    }

    /// What is at the head of a queue.
    pub fn head(&self, webhook: Id) -> Option<WebhookDelivery> {
        let snapshot = self.site.current();
        let waiting = snapshot.waiting_deliveries(webhook, &Default::default(), 1, 1);
        waiting.unwrap().pop()
    }

    /// When the head is tried again.
    pub fn due_at(&self, webhook: Id) -> Option<Timestamp> {
        self.head(webhook)?.progress.due_at
    }

    /// The log of a webhook, the last first.
    pub fn log(&self, webhook: Id) -> Vec<FinishedDelivery> {
        let snapshot = self.site.current();
        snapshot.finished_deliveries(webhook, 0, 1000).unwrap().0
    }

    pub fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        self.wait_within(PATIENCE, what, holds);
    }

    /// The same for what takes many commits.
    pub fn wait_within(&self, patience: Duration, what: &str, holds: impl Fn(&Self) -> bool) {
        let until = Instant::now() + patience;
        while !holds(self) {
            assert!(Instant::now() < until, "it never came that {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the head of a queue has failed so often.
    pub fn wait_for_failures(&self, webhook: Id, failures: u32) {
        self.wait(&format!("{failures} attempts failed"), |stage| {
            let head = stage.head(webhook);
            head.is_some_and(|head| head.progress.failures == failures)
        });
    }

    /// Sets the clock to when the head is tried again.
    pub fn pass_until_due(&self, webhook: Id) {
        let due_at = self.due_at(webhook).unwrap();
        self.clock.set(due_at + SignedDuration::from_secs(1));
    }
}

/// Takes the next delivery.
pub fn next(receiver: &WebhookReceiver) -> Delivery {
    receiver.delivery_within(None, PATIENCE).unwrap()
}

/// Takes the bodies of the next deliveries.
pub fn next_bodies(receiver: &WebhookReceiver, count: usize) -> Vec<String> {
    let bodies = (0..count).map(|_| String::from_utf8(next(receiver).body).unwrap());
    bodies.collect()
}
