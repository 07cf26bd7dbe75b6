//! Receivers that fail: what is tried again when, what is given up, and what that means for what waits behind.

use std::{
    net::TcpListener,
    sync::atomic::{AtomicUsize, Ordering},
};

use jiff::SignedDuration;

use super::stage::{Stage, next, next_bodies};
use crate::webhook_receiver::{Reaction, WebhookReceiver};

/// Answers like this so often, and then 200.
fn failing(receiver: &WebhookReceiver, times: usize, reaction: Reaction) {
    let count = AtomicUsize::new(0);
    receiver.react(
        move |_| match count.fetch_add(1, Ordering::SeqCst) < times {
            true => reaction.clone(),
            false => Reaction::Answer(200, &[], ""),
        },
    );
}

/// An address of this machine at which nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn a_receiver_that_answers_500_five_times_gets_everything_in_order_in_the_end() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    failing(&receiver, 5, Reaction::Answer(500, &[], "out of\norder"));
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();

    stage.queue(webhook, &["1", "2", "3"]);

    for failures in 1..=5 {
        stage.wait_for_failures(webhook, failures);
        let known = stage.known(webhook).unwrap();
        assert_eq!(known.last_triggered_status.as_deref(), Some("500"));
        assert_eq!(
            known.last_triggered_error.as_deref(),
            Some("the receiver answered 500: out of")
        );
        assert_eq!(stage.waiting(webhook), 3);
        stage.pass_until_due(webhook);
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
    stage.wait("all is recorded", |stage| stage.waiting(webhook) == 0);
    let known = stage.known(webhook).unwrap();
    assert_eq!(known.last_triggered_status.as_deref(), Some("200"));
    assert_eq!(known.last_triggered_error, None);
    let first = stage.log(webhook).pop().unwrap();
    let statuses: Vec<_> = first.attempts.iter().map(|one| one.status).collect();
    let expected = [500, 500, 500, 500, 500, 200].map(Some);
    assert_eq!((first.attempt_count, &statuses[..]), (6, &expected[..]));
}

#[test]
fn a_receiver_that_closes_the_connection_is_tried_again() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    failing(&receiver, 1, Reaction::Close);
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();

    stage.queue(webhook, &["1"]);

    stage.wait_for_failures(webhook, 1);
    let known = stage.known(webhook).unwrap();
    assert_eq!(known.last_triggered_status, None);
    assert_eq!(
        known.last_triggered_error.as_deref(),
        Some("the connection was closed before there was a response")
    );
    stage.pass_until_due(webhook);
    stage.wait("it arrives", |stage| stage.waiting(webhook) == 0);
    assert_eq!(next_bodies(&receiver, 2), ["1", "1"]);
}

#[test]
fn a_connection_that_was_closed_while_nothing_was_sent_costs_no_attempt() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();
    stage.queue(webhook, &["1"]);
    next(&receiver);
    // The second request finds the connection closed; on a new one it is answered.
    failing(&receiver, 1, Reaction::Close);

    stage.queue(webhook, &["2"]);

    stage.wait("it arrives", |stage| stage.waiting(webhook) == 0);
    assert_eq!(stage.log(webhook)[0].attempt_count, 1);
}

#[test]
fn a_receiver_that_answers_410_loses_its_webhook_and_all_that_waits() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    let webhook = stage.webhook(&format!("{}/status/410", receiver.url()));
    stage.queue(webhook, &["{}"; 1200]);
    let _deliverer = stage.deliver();

    stage.wait("the webhook is gone", |stage| {
        stage.known(webhook).is_none()
    });
    stage.wait("nothing waits", |stage| stage.waiting(webhook) == 0);
    next(&receiver);
    assert_eq!(receiver.count(), 0);
}

#[test]
fn a_receiver_that_is_down_for_a_day_gets_everything_in_order() {
    let stage = Stage::new();
    let address = nobody();
    let webhook = stage.webhook(&address);
    let _deliverer = stage.deliver();
    let began = stage.clock_now();
    let mut bodies = Vec::new();
    let mut failures = 0;

    while stage.clock_now().duration_since(began) < SignedDuration::from_hours(24) {
        bodies.push(format!("[{failures}]"));
        stage.queue(webhook, &[bodies.last().unwrap()]);
        failures += 1;
        stage.wait_for_failures(webhook, failures);
        stage.pass_until_due(webhook);
    }
    let receiver = WebhookReceiver::start_at(address.strip_prefix("http://").unwrap());

    // An attempt may have been under way when the receiver came.
    stage.pass(SignedDuration::from_hours(2));
    assert_eq!(next_bodies(&receiver, bodies.len()), bodies);
}

#[test]
fn a_receiver_says_when_it_is_to_be_tried_again() {
    for (header, wait_s) in [
        (&["Retry-After: 7200"], 7200..=7203),
        (
            &["Retry-After: Fri, 02 Jan 2026 06:04:05 GMT"],
            10_800..=10_803,
        ),
        (&["Retry-After: 1"], 10..=13),
    ] {
        let stage = Stage::new();
        let receiver = WebhookReceiver::start();
        receiver.react(move |_| Reaction::Answer(429, header, ""));
        let webhook = stage.webhook(&receiver.url());
        let _deliverer = stage.deliver();

        stage.queue(webhook, &["1"]);

        stage.wait_for_failures(webhook, 1);
        let waits = stage.due_at(webhook).unwrap() - stage.clock_now();
        let waits_s = waits.total(jiff::Unit::Second).unwrap() as i64;
        assert!(wait_s.contains(&waits_s), "{header:?}: {waits_s}");
    }
}

#[test]
fn after_three_days_what_is_as_old_is_given_up_and_the_rest_goes_on() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    let is_up = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let state = std::sync::Arc::clone(&is_up);
    receiver.react(move |_| match state.load(Ordering::SeqCst) {
        true => Reaction::Answer(200, &[], ""),
        false => Reaction::Answer(503, &[], ""),
    });
    let webhook = stage.webhook(&receiver.url());
    stage.queue(webhook, &["1"; 700]);
    let deliverer = stage.deliver();
    for failures in 1..=10 {
        stage.wait_for_failures(webhook, failures);
        if failures < 10 {
            stage.pass_until_due(webhook);
        }
    }
    stage.pass(SignedDuration::from_hours(12));
    stage.queue(webhook, &["2", "3"]);
    drop(deliverer);
    stage.pass(SignedDuration::from_hours(3 * 24 - 6));

    let _deliverer = stage.deliver();

    stage.wait("the old is given up", |stage| stage.waiting(webhook) == 2);
    let given_up = stage.log(webhook);
    assert_eq!(given_up.len(), 100);
    assert!(given_up.iter().all(|one| !one.is_delivered));
    stage.wait_for_failures(webhook, 1);
    while receiver.count() > 0 {
        next(&receiver);
    }
    is_up.store(true, Ordering::SeqCst);
    stage.pass_until_due(webhook);
    assert_eq!(next_bodies(&receiver, 2), ["2", "3"]);
}

#[test]
fn a_receiver_that_refuses_is_tried_for_an_hour_and_what_follows_goes_on() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|delivery| match &delivery.body[..] {
        b"1" => Reaction::Answer(404, &[], ""),
        _ => Reaction::Answer(200, &[], ""),
    });
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();

    stage.queue(webhook, &["1", "2"]);

    for failures in 1..=9 {
        stage.wait_for_failures(webhook, failures);
        stage.pass_until_due(webhook);
    }
    stage.wait("the queue goes on", |stage| stage.waiting(webhook) == 0);
    let [second, first] = &stage.log(webhook)[..] else {
        panic!("two deliveries are logged");
    };
    assert!(second.is_delivered && !first.is_delivered);
    assert_eq!(first.attempt_count, 10);
}

#[test]
fn what_failed_goes_on_where_it_was_when_the_program_starts_again() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    failing(&receiver, 2, Reaction::Answer(500, &[], ""));
    let webhook = stage.webhook(&receiver.url());
    let deliverer = stage.deliver();
    stage.queue(webhook, &["1", "2"]);
    stage.wait_for_failures(webhook, 1);
    drop(deliverer);
    let due_at = stage.due_at(webhook);

    let _deliverer = stage.deliver();

    stage.pass(SignedDuration::from_secs(5));
    assert_eq!(stage.due_at(webhook), due_at);
    stage.pass_until_due(webhook);
    stage.wait_for_failures(webhook, 2);
    stage.pass_until_due(webhook);
    assert_eq!(next_bodies(&receiver, 4), ["1", "1", "1", "2"]);
}

#[test]
fn a_clock_that_is_set_back_keeps_nothing_waiting() {
    let stage = Stage::new();
    let receiver = WebhookReceiver::start();
    failing(&receiver, 1, Reaction::Answer(500, &[], ""));
    let webhook = stage.webhook(&receiver.url());
    let _deliverer = stage.deliver();
    stage.queue(webhook, &["1"]);
    stage.wait_for_failures(webhook, 1);

    stage.pass(SignedDuration::from_hours(-24 * 365));

    stage.wait("it arrives", |stage| stage.waiting(webhook) == 0);
}
