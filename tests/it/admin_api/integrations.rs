//! Tests of integrations and their keys.

use galley_tests::{Request, TestSite, Who};
use serde_json::{Value, json};

fn add(site: &TestSite, name: &str) -> Value {
    site.add("integrations", json!({"name": name}))
}

fn text<'a>(record: &'a Value, path: &str) -> &'a str {
    record.pointer(path).unwrap().as_str().unwrap()
}

#[test]
fn built_in_integration_is_reserved_to_the_operator() {
    let site = TestSite::staffed();
    let listed = site.read("integrations/");
    let names: Vec<&str> = listed["integrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|integration| integration["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Conformance"]);
}

#[test]
fn keys_are_included_only_on_request() {
    let site = TestSite::staffed();
    let id = add(&site, "CI")["id"].as_str().unwrap().to_owned();
    let plain = site.read(&format!("integrations/{id}/"));
    assert!(plain["integrations"][0].get("api_keys").is_none());
    let whole = site.read(&format!("integrations/{id}/?include=api_keys,webhooks"));
    let whole = &whole["integrations"][0];
    assert_eq!(whole["api_keys"].as_array().unwrap().len(), 2);
    assert_eq!(whole["webhooks"], json!([]));
}

#[test]
fn new_secret_does_not_change_the_other_key() {
    let site = TestSite::staffed();
    let made = add(&site, "CI");
    let (id, key) = (text(&made, "/id"), text(&made, "/api_keys/1/id"));
    let endpoint = format!("integrations/{id}/api_key/{key}/refresh/");
    let body = json!({"integrations": [{"id": id}]});

    let response = site.ask("POST", &endpoint, Some(&body));

    let keys = response.json()["integrations"][0]["api_keys"].clone();
    assert_eq!(keys[0]["secret"], made["api_keys"][0]["secret"]);
    assert_ne!(keys[1]["secret"], made["api_keys"][1]["secret"]);
    assert_eq!(site.ask("POST", &endpoint, Some(&json!({}))).status, 400);
    let no_key = format!("integrations/{id}/api_key/x/refresh/");
    assert_eq!(site.ask("POST", &no_key, Some(&body)).status, 404);
}

#[test]
fn integration_and_its_webhooks_are_created_together_or_not_at_all() {
    let site = TestSite::staffed();
    let webhook = |event: &str| json!({"event": event, "target_url": "https://a.example/"});
    let with = |webhooks: Value| json!({"integrations": [{"name": "CI", "webhooks": webhooks}]});
    let make = |body: &Value| site.ask("POST", "integrations/?include=webhooks", Some(body));

    let wrong = make(&with(json!([webhook("post.added"), webhook("")])));
    assert_eq!(wrong.status, 422, "{}", wrong.text());
    let made = make(&with(json!([webhook("post.added"), webhook("page.added")])));

    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json()["integrations"][0].clone();
    assert_eq!(made["webhooks"].as_array().unwrap().len(), 2);
    assert_eq!(made["webhooks"][0]["integration_id"], made["id"]);
    assert_eq!(made["slug"], "ci", "the first integration was created");
}

#[test]
fn webhooks_in_a_change_replace_the_stored_webhooks() {
    let site = TestSite::staffed();
    let webhook = |event: &str| json!({"event": event, "target_url": "https://a.example/"});
    let body = json!({"integrations": [{"name": "CI", "webhooks": [webhook("post.added"), webhook("page.added")]}]});
    let made = site.ask("POST", "integrations/?include=webhooks", Some(&body));
    let made = made.json()["integrations"][0].clone();
    let endpoint = format!("integrations/{}/?include=webhooks", text(&made, "/id"));
    let put = |webhooks: Value| {
        site.ask(
            "PUT",
            &endpoint,
            Some(&json!({"integrations": [{"webhooks": webhooks}]})),
        )
    };
    let events = |list: &Value| -> Vec<String> {
        let list = list["webhooks"].as_array().unwrap().iter();
        list.map(|webhook| webhook["event"].as_str().unwrap().to_owned())
            .collect()
    };

    let mut first = made["webhooks"][0].clone();
    first["name"] = json!("Renamed");
    let changed = put(json!([first, webhook("tag.added"), webhook("page.added")]));

    assert_eq!(changed.status, 200, "{}", changed.text());
    let changed = changed.json()["integrations"][0].clone();
    let mut changed_events = events(&changed);
    changed_events.sort();
    assert_eq!(changed_events, ["page.added", "post.added", "tag.added"]);
    let mut webhooks = changed["webhooks"].as_array().unwrap().iter();
    let renamed = webhooks.find(|webhook| webhook["name"] == "Renamed");
    assert_eq!(renamed.unwrap()["id"], first["id"]);
    let whole = site.read(&endpoint)["integrations"][0].clone();
    assert_eq!(events(&whole).len(), 3);

    for wrong in [
        json!(null),
        json!("x"),
        json!([1]),
        json!([{"id": "6512bd43d9caa6e02c990b0a", "event": "post.added"}]),
        json!([{"id": 1}]),
        json!([{"event": "post.added"}]),
    ] {
        let refused = put(wrong.clone());
        assert_eq!(refused.status, 422, "{wrong}: {}", refused.text());
    }
    assert_eq!(
        site.read(&endpoint)["integrations"][0],
        whole,
        "webhooks were partly replaced"
    );
    let name_alone = json!({"integrations": [{"name": "Other"}]});
    site.ask("PUT", &endpoint, Some(&name_alone));
    assert_eq!(events(&site.read(&endpoint)["integrations"][0]).len(), 3);
    assert_eq!(events(&put(json!([])).json()["integrations"][0]).len(), 0);
}

#[test]
fn deleted_integration_loses_its_keys() {
    let site = TestSite::staffed();
    let made = add(&site, "CI");
    let secret = text(&made, "/api_keys/0/secret");
    let content = format!("/ghost/api/content/settings/?key={secret}");
    let status = || {
        let request = Request::new("GET", &content);
        site.ask_as(&Who::Anonymous, &request).status
    };
    assert_eq!(status(), 200);
    let endpoint = format!("integrations/{}/", text(&made, "/id"));
    assert_eq!(site.ask("DELETE", &endpoint, None).status, 204);
    assert_eq!(status(), 401);
    assert_eq!(site.ask("DELETE", &endpoint, None).status, 404);
}
