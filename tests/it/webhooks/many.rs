//! Tests that many deliveries and slow receivers do not delay other receivers.

use std::time::{Duration, Instant};

use galley::store::redb::RedbStore;
use galley_tests::{
    wait::{PATIENCE, wait_until_within},
    webhook_receiver::{Reaction, WebhookReceiver},
};

use super::webhook_site::{WebhookSite, next_bodies};

#[test]
fn hanging_receivers_do_not_delay_others_and_are_logged() {
    let site = WebhookSite::new();
    let [quick, hanging] = [WebhookReceiver::start(), WebhookReceiver::start()];
    hanging.react(|_| Reaction::Hang);
    let known = site.webhook(&quick.url());
    let deliverer = site.deliver();
    site.queue(known, &["0"]);
    site.wait("the quick receiver has responded", |site| {
        site.waiting(known) == 0
    });
    let slow: Vec<_> = (0..40)
        .map(|number| site.webhook(&format!("{}/{number}", hanging.url())))
        .collect();
    site.queue_each(&slow, "{}");
    site.wait("the maximum number of requests hangs", |_| {
        hanging.count() == 16
    });

    let began = Instant::now();
    site.queue(known, &["1", "2", "3"]);

    assert_eq!(next_bodies(&quick, 4), ["0", "1", "2", "3"]);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "the deliveries waited for hanging receivers"
    );
    assert_eq!(hanging.count(), 16);
    site.wait_for_failures(slow[0], 1);
    let known = site.known(slow[0]).unwrap();
    assert_eq!(
        known.last_triggered_error.as_deref(),
        Some("there was no response within 10 seconds")
    );
    site.wait("the next requests hang", |_| hanging.count() > 16);

    let began = Instant::now();
    drop(deliverer);
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "shutdown took too long"
    );
    assert_eq!(std::sync::Arc::strong_count(&site.site), 1);
}

#[test]
fn hundred_thousand_pending_deliveries_delay_no_others_and_can_be_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let site = WebhookSite::on(RedbStore::open(folder.path().join("store"), 16 << 20).unwrap());
    let [quick, hanging] = [WebhookReceiver::start(), WebhookReceiver::start()];
    hanging.react(|_| Reaction::Hang);
    let slow = site.webhook(&hanging.url());
    let known = site.webhook(&quick.url());
    for _ in 0..10 {
        site.queue(slow, &["{\"event\":\"post.edited\"}"; 10_000]);
    }
    let _deliverer = site.deliver();
    site.wait("a delivery is in flight", |_| hanging.count() == 1);

    site.queue(known, &["1", "2", "3"]);

    assert_eq!(next_bodies(&quick, 3), ["1", "2", "3"]);
    let integration = site.known(slow).unwrap().integration;
    site.site
        .write(|transaction| transaction.delete_integration(integration))
        .unwrap();
    // The queue is deleted once the delivery in flight has ended.
    drop(hanging);
    wait_until_within(PATIENCE * 6, "the queue is deleted", || {
        site.waiting(slow) == 0 && site.waiting(known) == 0
    });
    assert!(site.log(known).is_empty());
}

#[test]
fn slow_receiver_gets_everything_in_order() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::Late(Duration::from_millis(2100)));
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();

    site.queue(webhook, &["1", "2", "3"]);

    assert_eq!(next_bodies(&receiver, 3), ["1", "2", "3"]);
    site.wait("all deliveries are recorded", |site| {
        site.waiting(webhook) == 0
    });
    assert!(site.log(webhook).iter().all(|one| one.is_delivered));
}
