//! Tests of URLs of deliveries: redirects, private addresses, and invalid URLs.

use galley::{delivery::WebhookOptions, outbound::AllowedAddresses};
use galley_tests::{
    clocked_site::webhook_options,
    webhook_receiver::{Reaction, WebhookReceiver},
};

use super::webhook_site::{WebhookSite, next};

#[test]
fn redirect_on_the_same_host_is_followed_with_method_and_body() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    receiver.react(|delivery| match delivery.target.as_str() {
        "/a" => Reaction::HttpResponse(307, &["Location: /b"], ""),
        "/b" => Reaction::HttpResponse(302, &["Location: c"], ""),
        _ => Reaction::HttpResponse(200, &[], "here"),
    });
    let webhook = site.webhook(&format!("{}/a", receiver.url()));
    let _deliverer = site.deliver();

    site.queue(webhook, &["{}"]);

    for target in ["/a", "/b", "/c"] {
        let delivery = next(&receiver);
        assert_eq!(
            (delivery.target.as_str(), &delivery.body[..]),
            (target, &b"{}"[..])
        );
        assert!(delivery.headers.contains_key("x-ghost-signature"));
    }
    site.wait("the delivery is recorded", |site| {
        site.waiting(webhook) == 0
    });
    let response = site.log(webhook)[0].response.clone().unwrap();
    assert_eq!((response.status, &*response.body), (200, "here"));
}

#[test]
fn endless_and_cross_host_redirects_are_not_followed() {
    let other = WebhookReceiver::start();
    let elsewhere = other.url().replace("127.0.0.1", "localhost");
    for location in [
        "/again".to_owned(),
        // Another host name, and another port of the same host.
        format!("Location: {elsewhere}/"),
        format!("Location: {}/", other.url()),
        "Location: ftp://127.0.0.1/".to_owned(),
        "Location: http://".to_owned(),
    ] {
        let site = WebhookSite::new();
        let receiver = WebhookReceiver::start();
        let header: &'static str = match location.strip_prefix("Location") {
            Some(_) => location.leak(),
            None => "Location: /again",
        };
        let headers: &'static [&'static str] = vec![header].leak();
        receiver.react(move |_| Reaction::HttpResponse(308, headers, ""));
        let webhook = site.webhook(&receiver.url());
        let _deliverer = site.deliver();

        site.queue(webhook, &["{}"]);

        site.wait_for_failures(webhook, 1);
        let known = site.known(webhook).unwrap();
        let error = known.last_triggered_error.as_deref().unwrap();
        assert!(error.starts_with("it redirects"), "{header}: {error}");
        assert_eq!(known.last_triggered_status, None);
    }
    assert_eq!(other.connections(), 0);
}

#[test]
fn loopback_receiver_is_rejected_unless_allowed() {
    let receiver = WebhookReceiver::start();
    let port = receiver.url().rsplit(':').next().unwrap().to_owned();
    for host in ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0"] {
        let site = WebhookSite::new();
        let webhook = site.webhook(&format!("http://{host}:{port}/"));
        let _deliverer = site.deliver_by(WebhookOptions {
            allowed_addresses: AllowedAddresses::Public,
            ..webhook_options()
        });

        site.queue(webhook, &["{}"]);

        site.wait_for_failures(webhook, 1);
        let known = site.known(webhook).unwrap();
        let error = known.last_triggered_error.as_deref().unwrap();
        assert!(error.ends_with("is not a public address"), "{error}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[test]
fn delivery_to_an_invalid_url_fails_permanently_without_retries() {
    let site = WebhookSite::new();
    for address in [
        "ftp://files.example/in",
        "/hook",
        "hook",
        "mailto:a@b.example",
    ] {
        let webhook = site.webhook(address);
        let _deliverer = site.deliver();

        site.queue(webhook, &["{}", "{}"]);

        site.wait("both deliveries have failed permanently", |site| {
            site.waiting(webhook) == 0
        });
        let log = site.log(webhook);
        assert_eq!(log.len(), 2);
        let error = log[0].attempts[0].error.as_deref().unwrap();
        assert_eq!(
            error,
            format!("\"{address}\" is not an absolute URL with http:// or https://")
        );
        assert!(!log[0].is_delivered && log[0].request.is_none());
    }
}

#[test]
fn credentials_in_the_url_are_sent_but_not_logged() {
    let site = WebhookSite::new();
    let receiver = WebhookReceiver::start();
    let address = receiver.url().replace("//", "//ana:p%40ss@");
    let webhook = site.webhook(&format!("{address}/in"));
    let _deliverer = site.deliver();

    site.queue(webhook, &["{}"]);

    let delivery = next(&receiver);
    // "ana:p@ss"
    assert_eq!(delivery.headers["authorization"], "Basic YW5hOnBAc3M=");
    site.wait("the delivery is recorded", |site| {
        site.waiting(webhook) == 0
    });
    let log = format!("{:?}", site.log(webhook));
    assert!(
        log.contains("/in") && !log.contains("ana") && !log.contains("YW5h"),
        "{log}"
    );
}

#[test]
fn changed_url_and_secret_apply_from_the_next_attempt() {
    let site = WebhookSite::new();
    let [old, new] = [WebhookReceiver::start(), WebhookReceiver::start()];
    old.react(|_| Reaction::HttpResponse(500, &[], ""));
    let webhook = site.webhook(&old.url());
    let _deliverer = site.deliver();
    site.queue(webhook, &["1"]);
    site.wait_for_failures(webhook, 1);

    let mut changed = galley::domain::webhook::Webhook::clone(&site.known(webhook).unwrap());
    changed.target_url = new.url().into();
    changed.secret = None;
    site.site
        .write_once(|transaction| transaction.save_webhook(changed))
        .unwrap();
    site.pass_until_due(webhook);

    let delivery = next(&new);
    assert_eq!(delivery.body, b"1");
    assert!(!delivery.headers.contains_key("x-ghost-signature"));
}
