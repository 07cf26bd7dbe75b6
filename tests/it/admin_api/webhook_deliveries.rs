//! Tests that the Admin API lists and retries webhook deliveries.

use galley_tests::{
    Request, TestSite, Who,
    request::ADMIN,
    wait_for,
    webhook_receiver::{Reaction, WebhookReceiver},
};
use serde_json::{Value, json};

use super::failure;

/// Starts a site that may send to receivers on this machine.
fn site() -> TestSite {
    TestSite::builder()
        .option("private_receivers", "true")
        .staffed()
        .start()
}

/// Adds a webhook of the test integration for events of new tags, and returns its id.
fn webhook(site: &TestSite, receiver: &WebhookReceiver) -> String {
    let webhook = json!({"event": "tag.added", "target_url": receiver.url(), "secret": "s3cret"});
    let request = Request::new("POST", &format!("{ADMIN}/webhooks/"));
    let response = site.ask_as(
        &Who::Integration,
        &request.json(&json!({"webhooks": [webhook]})),
    );
    let webhook = &response.json()["webhooks"][0];
    webhook["id"].as_str().unwrap().to_owned()
}

/// Reads the deliveries of a webhook until `is_wanted` returns true, and returns them.
fn deliveries(
    site: &TestSite,
    webhook: &str,
    query: &str,
    is_wanted: impl Fn(&Value) -> bool,
) -> Value {
    let endpoint = format!("webhooks/{webhook}/deliveries/{query}");
    wait_for(&endpoint, || site.read(&endpoint), is_wanted)
}

fn count(found: &Value) -> usize {
    found["deliveries"].as_array().unwrap().len()
}

#[test]
fn deliveries_are_listed_newest_first_with_request_response_and_attempts() {
    let site = site();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::HttpResponse(201, &["X-Build: 7"], "building"));
    let webhook = webhook(&site, &receiver);
    for name in ["One", "Two", "Three"] {
        site.add("tags", json!({"name": name}));
    }

    let found = deliveries(&site, &webhook, "", |found| count(found) == 3);

    assert_eq!(found["meta"]["pagination"]["total"], 3);
    assert_eq!(
        found["meta"]["waiting"],
        json!({"count": 0, "is_more": false, "next": null})
    );
    let last = &found["deliveries"][0];
    assert_eq!(last["event"], "tag.added");
    assert_eq!(last["state"], "delivered");
    assert_eq!(last["id"], format!("{webhook}-{}", last["number"]));
    let body = last["request"]["body"].as_str().unwrap();
    let payload: Value = serde_json::from_str(body).unwrap();
    assert_eq!(payload["tag"]["current"]["name"], "Three");
    assert_eq!(last["request"]["url"], receiver.url());
    assert_eq!(last["request"]["headers"]["X-Galley-Delivery"], last["id"]);
    assert!(last["request"]["headers"]["X-Ghost-Signature"].is_string());
    assert_eq!(last["response"]["status"], 201);
    assert_eq!(last["response"]["headers"]["x-build"], "7");
    assert_eq!(last["response"]["body"], "building");
    assert_eq!(last["attempt_count"], 1);
    assert_eq!(last["attempts"][0]["status"], 201);
    assert_eq!(last["attempts"][0]["error"], Value::Null);
    assert!(last["latency_ms"].is_u64());

    let second_page = deliveries(&site, &webhook, "?limit=2&page=2", |_| true);
    assert_eq!(count(&second_page), 1);
    assert_eq!(second_page["deliveries"][0], found["deliveries"][2]);
    assert_eq!(second_page["meta"]["pagination"]["pages"], 2);
}

#[test]
fn pending_delivery_is_listed_and_retried_on_request() {
    let site = site();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::HttpResponse(503, &[], "busy"));
    let webhook = webhook(&site, &receiver);
    for name in ["One", "Two"] {
        site.add("tags", json!({"name": name}));
    }
    let failed = |found: &Value| found["meta"]["waiting"]["next"]["attempt_count"] == 1;
    let found = deliveries(&site, &webhook, "", failed);
    let waiting = &found["meta"]["waiting"];
    assert_eq!(waiting["count"], 2);
    assert_eq!(waiting["next"]["state"], "waiting");
    assert!(waiting["next"]["due_at"].is_string());
    let attempt = &waiting["next"]["attempts"][0];
    assert_eq!(attempt["error"], "the receiver responded with 503: busy");
    receiver.react(|_| Reaction::HttpResponse(200, &[], ""));

    let number = &waiting["next"]["number"];
    let retry = format!("webhooks/{webhook}/deliveries/{number}/retry/");
    let response = site.ask("POST", &retry, None);

    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(
        response.json()["deliveries"][0]["id"],
        waiting["next"]["id"]
    );
    deliveries(&site, &webhook, "", |found| count(found) == 2);
    let again = site.ask("POST", &retry, None);
    assert_eq!(again.status, 200, "{}", again.text());
    let retried = |found: &Value| found["deliveries"][0]["attempt_count"] == 3;
    let found = deliveries(&site, &webhook, "", retried);
    assert_eq!(found["deliveries"][0]["id"], waiting["next"]["id"]);
}

#[test]
fn deliveries_are_visible_only_with_edit_permission() {
    let site = site();
    let receiver = WebhookReceiver::start();
    let integration_webhook = webhook(&site, &receiver);
    let other = site.add("integrations", json!({"name": "Other"}));
    let others = site.add(
        "webhooks",
        json!({
            "event": "tag.added", "target_url": "https://a.example/", "integration_id": other["id"],
        }),
    );
    let others = others["id"].as_str().unwrap();
    site.add_user("Editor");
    let asked = |who: &Who, method: &str, rest: &str| {
        let request = Request::new(method, &format!("{ADMIN}/webhooks/{rest}"));
        site.ask_as(who, &request)
    };
    let log = |webhook: &str| format!("{webhook}/deliveries/");
    let retry = |webhook: &str| format!("{webhook}/deliveries/1/retry/");

    assert_eq!(
        asked(&Who::Integration, "GET", &log(&integration_webhook)).status,
        200
    );
    for (method, target) in [("GET", log(others)), ("POST", retry(others))] {
        let refused = asked(&Who::Integration, method, &target);
        assert_eq!(failure(&refused).0, 403, "{method} {target}");
        let refused = asked(&Who::session("Editor"), method, &target);
        assert_eq!(failure(&refused).0, 403, "{method} {target}");
    }
    for target in [
        retry(&integration_webhook),
        format!("{integration_webhook}/deliveries/x/retry/"),
    ] {
        let unknown = asked(&Who::session("Owner"), "POST", &target);
        assert_eq!(failure(&unknown).0, 404, "{target}");
    }
    let unknown_log = log("6b01240c99823cdcf3b90186");
    let unknown = asked(&Who::session("Owner"), "GET", &unknown_log);
    assert_eq!(failure(&unknown).0, 404);
}
