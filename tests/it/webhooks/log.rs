//! Tests of the delivery log, and of retrying deliveries.

use galley_tests::webhook_receiver::{Reaction, WebhookReceiver};
use jiff::SignedDuration;

use super::webhook_site::{WebhookSite, next, next_bodies};

#[test]
fn log_contains_the_beginning_of_a_long_response() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let long: &'static str = "x".repeat(200_000).leak();
    receiver.react(move |delivery| match &delivery.body[..] {
        // The body is not decompressed, even if it has a `Content-Encoding`.
        b"1" => Reaction::HttpResponse(200, &["Content-Encoding: gzip", "X-A: b"], "no gzip"),
        _ => Reaction::HttpResponse(200, &[], long),
    });
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();

    site.queue(webhook, &["1", "2"]);

    site.wait("both deliveries are recorded", |site| {
        site.waiting(webhook) == 0
    });
    let [second, first] = site.log(webhook).try_into().unwrap();
    let response = first.response.unwrap();
    assert_eq!((&*response.body, response.is_cut), ("no gzip", false));
    assert!(response.headers.contains(&("x-a".into(), "b".into())));
    let response = second.response.unwrap();
    assert_eq!((response.body.len(), response.is_cut), (4096, true));
}

#[test]
fn finished_delivery_can_be_repeated_under_its_id() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1", "2"]);
    site.wait("both deliveries are recorded", |site| {
        site.log(webhook).len() == 2
    });
    assert_eq!(next_bodies(&receiver, 2), ["1", "2"]);

    let retry = site
        .site
        .write(|transaction| transaction.retry_webhook_delivery(webhook, 1));

    assert_eq!(retry.unwrap().name(), format!("{webhook}-1"));
    let again = next(&receiver);
    assert_eq!(again.body, b"1");
    assert_eq!(again.headers["x-galley-delivery"], format!("{webhook}-1"));
    assert_eq!(again.headers["x-galley-attempt"], "2");
    site.wait("the repeated delivery is recorded", |site| {
        site.log(webhook).len() == 2
    });
    let [last, first] = site.log(webhook).try_into().unwrap();
    assert_eq!((last.number, last.attempt_count), (1, 2));
    assert_eq!((first.number, first.attempt_count), (2, 1));
    let unknown = site
        .site
        .write(|transaction| transaction.retry_webhook_delivery(webhook, 3));
    assert!(
        unknown
            .unwrap_err()
            .to_string()
            .contains("Delivery not found")
    );
}

#[test]
fn pending_delivery_is_attempted_at_once_on_request() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::HttpResponse(500, &[], ""));
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1"]);
    site.wait_for_failures(webhook, 1);
    receiver.react(|_| Reaction::HttpResponse(200, &[], ""));

    let retry = site
        .site
        .write(|transaction| transaction.retry_webhook_delivery(webhook, 1));

    retry.unwrap();
    site.wait("the delivery succeeds", |site| site.waiting(webhook) == 0);
    assert_eq!(site.log(webhook)[0].attempt_count, 2);
}

#[test]
fn logged_bodies_are_limited_to_four_megabytes_and_omitted_ones_cannot_be_repeated() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    let long = "1".repeat(1 << 20);

    site.queue(webhook, &[long.as_str(); 6]);

    site.wait("all deliveries are recorded", |site| {
        site.log(webhook).len() == 6
    });
    let has_body: Vec<bool> = site
        .log(webhook)
        .iter()
        .map(|one| one.body.is_some())
        .collect();
    assert_eq!(has_body, [true, true, true, true, false, false]);
    let lengths: Vec<usize> = site.log(webhook).iter().map(|one| one.body_bytes).collect();
    assert_eq!(lengths, [1 << 20; 6]);
    let retry = site
        .site
        .write(|transaction| transaction.retry_webhook_delivery(webhook, 1));
    assert!(
        retry
            .unwrap_err()
            .to_string()
            .contains("too long to be stored")
    );
}

#[test]
fn deleted_webhook_loses_its_log() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1"]);
    site.wait("the delivery is recorded", |site| {
        site.log(webhook).len() == 1
    });
    site.advance_clock(SignedDuration::from_secs(1));

    site.site
        .write(|transaction| transaction.delete_webhook(webhook))
        .unwrap();

    site.wait("the log is gone", |site| site.log(webhook).is_empty());
    site.wait("so is the mark", |site| site.waiting(webhook) == 0);
}
