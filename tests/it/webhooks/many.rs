//! Tests that many deliveries and slow receivers do not delay other receivers.

use std::time::{Duration, Instant};

use galley::store::redb::RedbStore;

use super::stage::{PATIENCE, Stage, next_bodies};
use crate::webhook_receiver::{Reaction, WebhookReceiver};

#[test]
fn hanging_receivers_do_not_delay_others_and_are_logged() {
    let stage = Stage::new();
    let [quick, hanging] = [WebhookReceiver::start(), WebhookReceiver::start()];
    hanging.react(|_| Reaction::Hang);
    let known = stage.webhook(&quick.url());
    let deliverer = stage.deliver();
    stage.queue(known, &["0"]);
    stage.wait("the quick one is known", |stage| stage.waiting(known) == 0);
    let slow: Vec<_> = (0..40)
        .map(|number| stage.webhook(&format!("{}/{number}", hanging.url())))
        .collect();
    stage.queue_each(&slow, "{}");
    stage.wait("some hang", |_| hanging.count() == 16);

    let began = Instant::now();
    stage.queue(known, &["1", "2", "3"]);

    assert_eq!(next_bodies(&quick, 4), ["0", "1", "2", "3"]);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "they waited for others"
    );
    assert_eq!(hanging.count(), 16);
    stage.wait_for_failures(slow[0], 1);
    let known = stage.known(slow[0]).unwrap();
    assert_eq!(
        known.last_triggered_error.as_deref(),
        Some("there was no response within 10 seconds")
    );
    stage.wait("the next hang", |_| hanging.count() > 16);

    let began = Instant::now();
    drop(deliverer);
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "it waits too long"
    );
    assert_eq!(std::sync::Arc::strong_count(&stage.site), 1);
}

#[test]
fn hundred_thousand_pending_deliveries_delay_no_others_and_are_deleted_with_their_webhook() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::on(RedbStore::open(folder.path().join("store"), 16 << 20).unwrap());
    let [quick, hanging] = [WebhookReceiver::start(), WebhookReceiver::start()];
    hanging.react(|_| Reaction::Hang);
    let slow = stage.webhook(&hanging.url());
    let known = stage.webhook(&quick.url());
    for _ in 0..10 {
        stage.queue(slow, &["{\"event\":\"post.edited\"}"; 10_000]);
    }
    let _deliverer = stage.deliver();
    stage.wait("one is under way", |_| hanging.count() == 1);

    stage.queue(known, &["1", "2", "3"]);

    assert_eq!(next_bodies(&quick, 3), ["1", "2", "3"]);
    let integration = stage.known(slow).unwrap().integration;
    stage
        .site
        .write(|change| change.delete_integration(integration))
        .unwrap();
    // What was under way for it is over first.
    drop(hanging);
    stage.wait_within(PATIENCE * 6, "all of it is gone", |stage| {
        stage.waiting(slow) == 0 && stage.waiting(known) == 0
    });
    assert!(stage.log(known).is_empty());
}

#[test]
fn slow_receiver_gets_everything_in_order() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::Late(Duration::from_millis(2100)));
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();

    stage.queue(webhook, &["1", "2", "3"]);

    assert_eq!(next_bodies(&receiver, 3), ["1", "2", "3"]);
    stage.wait("all is recorded", |stage| stage.waiting(webhook) == 0);
    assert!(stage.log(webhook).iter().all(|one| one.is_delivered));
}
