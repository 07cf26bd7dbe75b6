//! Integrations and their keys.

use serde_json::{Value, json};

use super::owner::{ask, read, site};
use crate::staffed_site::StaffedSite;

fn add(site: &StaffedSite, name: &str) -> Value {
    let answer = ask(
        site,
        "POST",
        "integrations/",
        Some(&json!({"integrations": [{"name": name}]})),
    );
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["integrations"][0].clone()
}

fn text<'a>(record: &'a Value, path: &str) -> &'a str {
    record.pointer(path).unwrap().as_str().unwrap()
}

#[test]
fn the_one_that_came_with_the_site_is_the_operators_alone() {
    let site = site();
    let listed = read(&site, "integrations/");
    let names: Vec<&str> = listed["integrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|known| known["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Conformance"]);
}

#[test]
fn keys_are_told_when_they_are_asked_for_only() {
    let site = site();
    let id = add(&site, "CI")["id"].as_str().unwrap().to_owned();
    let plain = read(&site, &format!("integrations/{id}/"));
    assert!(plain["integrations"][0].get("api_keys").is_none());
    let whole = read(
        &site,
        &format!("integrations/{id}/?include=api_keys,webhooks"),
    );
    let whole = &whole["integrations"][0];
    assert_eq!(whole["api_keys"].as_array().unwrap().len(), 2);
    assert_eq!(whole["webhooks"], json!([]));
}

#[test]
fn a_new_secret_leaves_the_other_key_alone() {
    let site = site();
    let made = add(&site, "CI");
    let (id, key) = (text(&made, "/id"), text(&made, "/api_keys/1/id"));
    let endpoint = format!("integrations/{id}/api_key/{key}/refresh/");
    let body = json!({"integrations": [{"id": id}]});

    let answer = ask(&site, "POST", &endpoint, Some(&body));

    let keys = answer.json()["integrations"][0]["api_keys"].clone();
    assert_eq!(keys[0]["secret"], made["api_keys"][0]["secret"]);
    assert_ne!(keys[1]["secret"], made["api_keys"][1]["secret"]);
    assert_eq!(ask(&site, "POST", &endpoint, Some(&json!({}))).status, 400);
    let no_key = format!("integrations/{id}/api_key/x/refresh/");
    assert_eq!(ask(&site, "POST", &no_key, Some(&body)).status, 404);
}

#[test]
fn webhooks_come_with_a_new_one_or_there_is_none() {
    let site = site();
    let webhook = |event: &str| json!({"event": event, "target_url": "https://a.example/"});
    let with = |webhooks: Value| json!({"integrations": [{"name": "CI", "webhooks": webhooks}]});
    let make = |body: &Value| ask(&site, "POST", "integrations/?include=webhooks", Some(body));

    let wrong = make(&with(json!([webhook("post.added"), webhook("")])));
    assert_eq!(wrong.status, 422, "{}", wrong.text());
    let made = make(&with(json!([webhook("post.added"), webhook("page.added")])));

    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json()["integrations"][0].clone();
    assert_eq!(made["webhooks"].as_array().unwrap().len(), 2);
    assert_eq!(made["webhooks"][0]["integration_id"], made["id"]);
    assert_eq!(made["slug"], "ci", "the first one was not made");
}

#[test]
fn one_that_is_deleted_is_gone_with_its_keys() {
    let site = site();
    let made = add(&site, "CI");
    let secret = text(&made, "/api_keys/0/secret");
    let content = format!("/ghost/api/content/settings/?key={secret}");
    let status = || {
        let ask = crate::staffed_site::Ask::new("GET", &content);
        site.send(&crate::staffed_site::Who::Nobody, &ask).status
    };
    assert_eq!(status(), 200);
    let endpoint = format!("integrations/{}/", text(&made, "/id"));
    assert_eq!(ask(&site, "DELETE", &endpoint, None).status, 204);
    assert_eq!(status(), 401);
    assert_eq!(ask(&site, "DELETE", &endpoint, None).status, 404);
}
