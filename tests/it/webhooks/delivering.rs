//! Tests of successful deliveries: request, signature, order and log.

use std::{sync::Arc, time::Duration};

use galley_tests::{
    clocked_site::webhook_options,
    wait::wait_until,
    webhook_receiver::{Reaction, WebhookReceiver},
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::webhook_site::{WebhookSite, next, next_bodies};

#[test]
fn queued_event_is_posted_signed_and_logged() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&format!("{}/hook?a=b", receiver.url()));
    let _deliverer = site.deliver();

    site.queue(webhook, &[r#"{"event":"post.edited"}"#]);

    let delivery = next(&receiver);
    assert_eq!(delivery.target, "/hook?a=b");
    assert_eq!(delivery.body, br#"{"event":"post.edited"}"#);
    let header = |name: &str| delivery.headers[name].as_str();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("content-version"), "v6.65");
    assert_eq!(header("x-galley-delivery"), format!("{webhook}-1"));
    assert_eq!(header("x-galley-event"), "post.edited");
    assert_eq!(header("x-galley-attempt"), "1");
    assert!(header("user-agent").starts_with("Galley/"));
    let (digest, time_ms) = header("x-ghost-signature").split_once(", t=").unwrap();
    assert_eq!(time_ms, site.site.now().as_millisecond().to_string());
    let mut mac = Hmac::<Sha256>::new_from_slice(b"s3cret").unwrap();
    mac.update(&delivery.body);
    mac.update(time_ms.as_bytes());
    let expected = data_encoding::HEXLOWER.encode(&mac.finalize().into_bytes());
    assert_eq!(digest, format!("sha256={expected}"));

    site.wait("the delivery is recorded", |site| {
        site.waiting(webhook) == 0
    });
    let known = site.known(webhook).unwrap();
    assert_eq!(known.last_triggered_at, Some(site.site.now()));
    assert_eq!(known.last_triggered_status.as_deref(), Some("200"));
    assert_eq!(known.last_triggered_error, None);
    assert_eq!(known.updated_at, known.created_at);
    let [logged] = &site.log(webhook)[..] else {
        panic!("exactly one delivery must be logged");
    };
    assert!(logged.is_delivered);
    assert_eq!(logged.body.as_deref(), Some(r#"{"event":"post.edited"}"#));
    assert_eq!(
        logged.response.as_ref().map(|response| response.status),
        Some(200)
    );
    assert_eq!(logged.attempts.len(), 1);
}

#[test]
fn long_payload_waits_for_memory_and_short_ones_do_not() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let [short, long] = ["/short", "/long"].map(|path| site.webhook(&(receiver.url() + path)));
    let options = webhook_options();
    let memory = Arc::clone(&options.memory);
    let mut others = memory.hold();
    others.overdraw_up_to(256 << 20);
    let _deliverer = site.deliver_by(options);
    let body = format!("[{}]", "1,".repeat(2 << 20) + "1");

    site.queue(long, &[&body]);
    site.queue(short, &["{}"]);

    assert_eq!(next(&receiver).target, "/short");
    assert!(
        receiver
            .delivery_within(None, Duration::from_secs(1))
            .is_none()
    );
    let held = memory.clone();
    receiver.react(move |_| {
        // The payload occupies memory while it is sent.
        let room = held.hold().take(253 << 20);
        Reaction::HttpResponse(if room.is_ok() { 500 } else { 200 }, &[], "")
    });
    drop(others);
    assert_eq!(next(&receiver).body.len(), body.len());
    site.wait("the long payload is delivered", |site| {
        site.waiting(long) == 0
    });
    wait_until("the memory of the payload is released", || {
        memory.hold().take(256 << 20).is_ok()
    });
}

#[test]
fn deliveries_of_a_webhook_use_one_connection_in_order() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    let bodies: Vec<String> = (0..1000).map(|number| format!("[{number}]")).collect();

    for some in bodies.chunks(100) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        site.queue(webhook, &some);
    }

    assert_eq!(next_bodies(&receiver, bodies.len()), bodies);
    assert_eq!(receiver.connections(), 1);
    site.wait("all deliveries are recorded", |site| {
        site.waiting(webhook) == 0
    });
    let numbers: Vec<u64> = site.log(webhook).iter().map(|one| one.number).collect();
    let last_hundred: Vec<u64> = (901..=1000).rev().collect();
    assert_eq!(numbers, last_hundred);
}

#[test]
fn deliveries_do_not_invalidate_cached_responses() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    let before = site.site.current().catalog.readers_revision;

    site.queue(webhook, &["{}"]);

    site.wait("the delivery is recorded", |site| {
        !site.log(webhook).is_empty()
    });
    assert_eq!(site.site.current().catalog.readers_revision, before);
}
