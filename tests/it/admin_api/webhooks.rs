//! Tests of webhooks: validation, and the permissions to manage them.

use galley_tests::{Request, TestSite, Who, request::ADMIN, staff::text};
use serde_json::{Value, json};

use super::failure;

/// Requests a new webhook with the credentials of `who`.
fn add(site: &TestSite, who: &Who, record: Value) -> galley_tests::http_client::HttpResponse {
    let request = Request::new("POST", &format!("{ADMIN}/webhooks/"));
    site.ask_as(who, &request.json(&json!({"webhooks": [record]})))
}

fn integration(site: &TestSite, name: &str) -> String {
    text(&site.add("integrations", json!({"name": name}))["id"])
}

fn webhooks_of(site: &TestSite, integration: &str) -> Vec<Value> {
    let endpoint = format!("integrations/{integration}/?include=webhooks");
    let read = site.read(&endpoint);
    read["integrations"][0]["webhooks"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn new_webhook_has_the_specified_fields() {
    let site = TestSite::staffed();
    let least =
        json!({"event": "post.added", "target_url": "https://a.example/", "api_version": null});

    let response = add(&site, &Who::Integration, least);

    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.header("location"), None);
    assert_eq!(response.header("x-cache-invalidate"), None);
    let webhook = response.json()["webhooks"][0].clone();
    assert_eq!(webhook["status"], "available");
    assert_eq!(webhook["api_version"], "v6.65");
    for unset in [
        "name",
        "secret",
        "last_triggered_at",
        "last_triggered_status",
        "last_triggered_error",
    ] {
        assert_eq!(webhook[unset], Value::Null, "{unset}");
    }
}

#[test]
fn duplicate_event_and_url_is_rejected_across_integrations() {
    let site = TestSite::staffed();
    let other = integration(&site, "Other");
    let wanted =
        |target: &str| json!({"event": "tag.added", "target_url": target, "integration_id": other});
    let first = add(&site, &Who::Integration, wanted("https://a.example/Hook"));
    assert_eq!(first.status, 201);

    let again = add(
        &site,
        &Who::session("Owner"),
        wanted("https://A.example/hook"),
    );

    assert_eq!(failure(&again).0, 422, "{}", again.text());
    assert!(again.text().contains("https://a.example/Hook"));
    // Once the webhook has another event, the event and URL are free again.
    let id = first.json()["webhooks"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let moved = json!({"webhooks": [{"event": "tag.edited"}]});
    let moved = site.ask("PUT", &format!("webhooks/{id}/"), Some(&moved));
    assert_eq!(moved.status, 200, "{}", moved.text());
    let free = add(
        &site,
        &Who::session("Owner"),
        wanted("https://A.example/hook"),
    );
    assert_eq!(free.status, 201, "{}", free.text());
}

#[test]
fn integration_owns_its_webhooks_whatever_owner_it_sends() {
    let site = TestSite::staffed();
    let other = integration(&site, "Other");
    // Zapier sends the identifier of its key.
    for (number, sent) in [json!(other), json!("not-an-id"), Value::Null]
        .iter()
        .enumerate()
    {
        let target = format!("https://{number}.example/");
        let record = json!({"event": "post.added", "target_url": target, "integration_id": sent});
        let response = add(&site, &Who::Integration, record);
        assert_eq!(response.status, 201, "{}", response.text());
        assert_ne!(
            response.json()["webhooks"][0]["integration_id"],
            json!(other)
        );
    }
    assert_eq!(webhooks_of(&site, &other), Vec::<Value>::new());
}

#[test]
fn user_must_name_a_visible_integration() {
    let site = TestSite::staffed();
    let webhook = |integration: Value| json!({"event": "post.added", "target_url": "https://a.example/", "integration_id": integration});
    let owner = Who::session("Owner");
    let none = add(&site, &owner, webhook(Value::Null));
    assert_eq!(
        failure(&none),
        (422, "ValidationError".to_owned(), json!("integration_id"))
    );
    let unknown = add(&site, &owner, webhook(json!("63b0000000000000000000ff")));
    assert_eq!(
        failure(&unknown),
        (422, "ValidationError".to_owned(), Value::Null)
    );
    let id = integration(&site, "Mine");
    assert_eq!(add(&site, &owner, webhook(json!(id))).status, 201);
    assert_eq!(webhooks_of(&site, &id).len(), 1);
}

#[test]
fn invalid_update_is_rejected_without_changes() {
    let site = TestSite::staffed();
    let id = integration(&site, "Mine");
    let record = json!({
        "event": "post.added", "target_url": "https://a.example/", "integration_id": id, "secret": "s",
    });
    let made = add(&site, &Who::session("Owner"), record).json()["webhooks"][0].clone();
    let endpoint = format!("webhooks/{}/", made["id"].as_str().unwrap());
    for (field, empty) in [("event", ""), ("target_url", "")] {
        let response = site.ask(
            "PUT",
            &endpoint,
            Some(&json!({"webhooks": [{ field: empty }]})),
        );
        let refused = (422, "ValidationError".to_owned(), Value::Null);
        assert_eq!(failure(&response), refused, "{field}");
    }
    let another = json!({"webhooks": [{"id": id, "name": "changed"}]});
    assert_eq!(site.ask("PUT", &endpoint, Some(&another)).status, 400);
    for (field, bad) in [
        ("event", json!("Post.added")),
        ("event", Value::Null),
        ("target_url", json!("two words")),
        ("target_url", json!("u".repeat(2001))),
        ("secret", json!("s".repeat(192))),
        ("api_version", json!("v".repeat(51))),
    ] {
        let changes = json!({"webhooks": [{"name": "changed", field: bad}]});
        let response = site.ask("PUT", &endpoint, Some(&changes));
        assert_eq!(failure(&response).0, 422, "{field}: {}", response.text());
        assert_eq!(failure(&response).2, json!(field), "{}", response.text());
    }
    assert_eq!(webhooks_of(&site, &id), std::slice::from_ref(&made));

    let cleared = json!({"webhooks": [{"secret": "", "name": ""}]});
    let cleared = site.ask("PUT", &endpoint, Some(&cleared)).json();
    assert_eq!(cleared["webhooks"][0]["secret"], Value::Null);
    assert_eq!(cleared["webhooks"][0]["event"], made["event"]);
}

#[test]
fn deleting_an_integration_deletes_its_webhooks() {
    let site = TestSite::staffed();
    let id = integration(&site, "Mine");
    let wanted = |event: &str| json!({"event": event, "target_url": "https://a.example/", "integration_id": id});
    let owner = Who::session("Owner");
    let made = add(&site, &owner, wanted("post.added")).json();
    add(&site, &owner, wanted("page.added"));
    let webhook = made["webhooks"][0]["id"].as_str().unwrap();

    let deleted = site.ask("DELETE", &format!("integrations/{id}/"), None);

    assert_eq!(deleted.status, 204);
    let response = site.ask("DELETE", &format!("webhooks/{webhook}/"), None);
    assert_eq!(failure(&response).0, 404);
    // The events and URLs of the deleted webhooks are free again.
    let again = integration(&site, "Again");
    let record =
        json!({"event": "post.added", "target_url": "https://a.example/", "integration_id": again});
    assert_eq!(add(&site, &owner, record).status, 201);
}

#[test]
fn audit_entry_of_a_webhook_has_no_secret() {
    let site = TestSite::staffed();
    let id = integration(&site, "Mine");
    let record = json!({
        "event": "post.added", "target_url": "https://a.example/", "integration_id": id, "secret": "hush-hush",
    });
    add(&site, &Who::session("Owner"), record);
    let actions = site.read("actions/?filter=resource_type:webhook");
    assert_eq!(actions["actions"][0]["event"], "added");
    assert!(!actions.to_string().contains("hush-hush"), "{actions}");
}
