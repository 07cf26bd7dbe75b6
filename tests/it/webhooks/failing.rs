//! Tests of failing receivers: when deliveries are retried, when they fail permanently, and how that affects later ones.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
};

use galley_tests::webhook_receiver::{Reaction, WebhookReceiver};
use jiff::SignedDuration;

use super::webhook_site::{WebhookSite, next, next_bodies};

/// Makes a receiver react like this `times` times, and then respond with 200.
fn fail_first(receiver: &WebhookReceiver, times: usize, reaction: Reaction) {
    let count = AtomicUsize::new(0);
    receiver.react(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) < times {
            reaction.clone()
        } else {
            Reaction::HttpResponse(200, &[], "")
        }
    });
}

/// Returns a URL on this machine at a port without a listener.
fn closed_port_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn receiver_with_five_500s_gets_everything_in_order() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    fail_first(
        &receiver,
        5,
        Reaction::HttpResponse(500, &[], "out of\norder"),
    );
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();

    site.queue(webhook, &["1", "2", "3"]);

    for failures in 1..=5 {
        site.wait_for_failures(webhook, failures);
        let known = site.known(webhook).unwrap();
        assert_eq!(known.last_triggered_status.as_deref(), Some("500"));
        assert_eq!(
            known.last_triggered_error.as_deref(),
            Some("the receiver responded with 500: out of")
        );
        assert_eq!(site.waiting(webhook), 3);
        site.pass_until_due(webhook);
    }
    for attempt in 1..=6 {
        let delivery = next(&receiver);
        assert_eq!(delivery.body, b"1");
        assert_eq!(
            delivery.headers["x-galley-delivery"],
            format!("{webhook}-1")
        );
        assert_eq!(delivery.headers["x-galley-attempt"], attempt.to_string());
    }
    assert_eq!(next_bodies(&receiver, 2), ["2", "3"]);
    site.wait("all deliveries are recorded", |site| {
        site.waiting(webhook) == 0
    });
    let known = site.known(webhook).unwrap();
    assert_eq!(known.last_triggered_status.as_deref(), Some("200"));
    assert_eq!(known.last_triggered_error, None);
    let first = site.log(webhook).pop().unwrap();
    let statuses: Vec<_> = first.attempts.iter().map(|one| one.status).collect();
    let expected = [500, 500, 500, 500, 500, 200].map(Some);
    assert_eq!((first.attempt_count, &statuses[..]), (6, &expected[..]));
}

#[test]
fn closed_connection_is_retried() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    fail_first(&receiver, 1, Reaction::Close);
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();

    site.queue(webhook, &["1"]);

    site.wait_for_failures(webhook, 1);
    let known = site.known(webhook).unwrap();
    assert_eq!(known.last_triggered_status, None);
    assert_eq!(
        known.last_triggered_error.as_deref(),
        Some("the connection was closed before there was a response")
    );
    site.pass_until_due(webhook);
    site.wait("the delivery succeeds", |site| site.waiting(webhook) == 0);
    assert_eq!(next_bodies(&receiver, 2), ["1", "1"]);
}

#[test]
fn closed_idle_connection_does_not_count_as_a_failed_attempt() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1"]);
    next(&receiver);
    // The receiver closes the connection at the second request, which is repeated on a new connection.
    fail_first(&receiver, 1, Reaction::Close);

    site.queue(webhook, &["2"]);

    site.wait("the delivery succeeds", |site| site.waiting(webhook) == 0);
    assert_eq!(site.log(webhook)[0].attempt_count, 1);
}

#[test]
fn response_410_deletes_the_webhook_and_its_queue() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let webhook = site.webhook(&format!("{}/status/410", receiver.url()));
    site.queue(webhook, &["{}"; 1200]);
    let _deliverer = site.deliver();

    site.wait("the webhook is gone", |site| site.known(webhook).is_none());
    site.wait("nothing waits", |site| site.waiting(webhook) == 0);
    next(&receiver);
    assert_eq!(receiver.count(), 0);
}

#[test]
fn receiver_unreachable_for_a_day_gets_everything_in_order() {
    let site = WebhookSite::new();
    let address = closed_port_url();
    let webhook = site.webhook(&address);
    let _deliverer = site.deliver();
    let began = site.clock_now();
    let mut bodies = Vec::new();
    let mut failures = 0;

    while site.clock_now().duration_since(began) < SignedDuration::from_hours(24) {
        bodies.push(format!("[{failures}]"));
        site.queue(webhook, &[bodies.last().unwrap()]);
        failures += 1;
        site.wait_for_failures(webhook, failures);
        site.pass_until_due(webhook);
    }
    let receiver = WebhookReceiver::start_at(address.strip_prefix("http://").unwrap());

    // An attempt may have been in flight when the receiver started.
    site.advance_clock(SignedDuration::from_hours(2));
    assert_eq!(next_bodies(&receiver, bodies.len()), bodies);
}

#[test]
fn retry_after_is_honoured() {
    for (header, wait_s) in [
        (&["Retry-After: 7200"], 7200..=7203),
        (
            &["Retry-After: Fri, 02 Jan 2026 06:04:05 GMT"],
            10_800..=10_803,
        ),
        (&["Retry-After: 1"], 10..=13),
    ] {
        let site = WebhookSite::new();
        let receiver = WebhookReceiver::start();
        receiver.react(move |_| Reaction::HttpResponse(429, header, ""));
        let webhook = site.webhook(&receiver.url());
        let _deliverer = site.deliver();

        site.queue(webhook, &["1"]);

        site.wait_for_failures(webhook, 1);
        let waits = site.due_at(webhook).unwrap() - site.clock_now();
        let waits_s = waits.total(jiff::Unit::Second).unwrap() as i64;
        assert!(wait_s.contains(&waits_s), "{header:?}: {waits_s}");
    }
}

#[test]
fn deliveries_fail_permanently_after_three_days_and_newer_ones_continue() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let is_up = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = std::sync::Arc::clone(&is_up);
    receiver.react(move |_| {
        if state.load(Ordering::SeqCst) {
            Reaction::HttpResponse(200, &[], "")
        } else {
            Reaction::HttpResponse(503, &[], "")
        }
    });
    let webhook = site.webhook(&receiver.url());
    site.queue(webhook, &["1"; 700]);
    let deliverer = site.deliver();
    for failures in 1..=10 {
        site.wait_for_failures(webhook, failures);
        if failures < 10 {
            site.pass_until_due(webhook);
        }
    }
    site.advance_clock(SignedDuration::from_hours(12));
    site.queue(webhook, &["2", "3"]);
    drop(deliverer);
    site.advance_clock(SignedDuration::from_hours(3 * 24 - 6));

    let _deliverer = site.deliver();

    site.wait("the old one has failed permanently", |site| {
        site.waiting(webhook) == 2
    });
    let failed = site.log(webhook);
    assert_eq!(failed.len(), 100);
    assert!(failed.iter().all(|one| !one.is_delivered));
    site.wait_for_failures(webhook, 1);
    while receiver.count() > 0 {
        next(&receiver);
    }
    is_up.store(true, Ordering::SeqCst);
    site.pass_until_due(webhook);
    assert_eq!(next_bodies(&receiver, 2), ["2", "3"]);
}

#[test]
fn client_errors_are_retried_for_an_hour_and_later_deliveries_continue() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|delivery| match &delivery.body[..] {
        b"1" => Reaction::HttpResponse(404, &[], ""),
        _ => Reaction::HttpResponse(200, &[], ""),
    });
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();

    site.queue(webhook, &["1", "2"]);

    for failures in 1..=9 {
        site.wait_for_failures(webhook, failures);
        site.pass_until_due(webhook);
    }
    site.wait("the queue continues", |site| site.waiting(webhook) == 0);
    let [second, first] = &site.log(webhook)[..] else {
        panic!("exactly two deliveries must be logged");
    };
    assert!(second.is_delivered && !first.is_delivered);
    assert_eq!(first.attempt_count, 10);
}

#[test]
fn retry_state_survives_a_restart() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    fail_first(&receiver, 2, Reaction::HttpResponse(500, &[], ""));
    let webhook = site.webhook(&receiver.url());
    let deliverer = site.deliver();
    site.queue(webhook, &["1", "2"]);
    site.wait_for_failures(webhook, 1);
    drop(deliverer);
    let due_at = site.due_at(webhook);

    let _deliverer = site.deliver();

    site.advance_clock(SignedDuration::from_secs(5));
    assert_eq!(site.due_at(webhook), due_at);
    site.pass_until_due(webhook);
    site.wait_for_failures(webhook, 2);
    site.pass_until_due(webhook);
    assert_eq!(next_bodies(&receiver, 4), ["1", "1", "1", "2"]);
}

#[test]
fn clock_set_back_does_not_delay_deliveries() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    fail_first(&receiver, 1, Reaction::HttpResponse(500, &[], ""));
    let webhook = site.webhook(&receiver.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1"]);
    site.wait_for_failures(webhook, 1);

    site.advance_clock(SignedDuration::from_hours(-24 * 365));

    site.wait("the delivery succeeds", |site| site.waiting(webhook) == 0);
}
