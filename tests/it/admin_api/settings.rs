//! Settings: read and changed by staff.

use serde_json::{Value, json};

use super::owner::{ask, failure, read, read_as_reader, site, site_of};
use crate::{app::TestApp, http_client::Answer, staffed_site::StaffedSite};

fn set(site: &StaffedSite, settings: Value) -> Answer {
    ask(
        site,
        "PUT",
        "settings/",
        Some(&json!({"settings": settings})),
    )
}

fn value(site: &StaffedSite, key: &str) -> Value {
    let listed = read(site, "settings/");
    let settings = listed["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["key"] == key);
    found.unwrap_or_else(|| panic!("no {key}"))["value"].clone()
}

#[test]
fn what_is_set_is_what_readers_get_at_once() {
    let site = site();
    let answer = set(
        &site,
        json!([
            {"key": "title", "value": "Night Post"},
            {"key": "navigation", "value": [{"label": "Home", "url": "/"}]},
            {"key": "portal_button", "value": "true"},
        ]),
    );
    assert_eq!(answer.header("x-cache-invalidate"), Some("/*"));
    let settings = &read_as_reader(&site, "settings/")["settings"];
    assert_eq!(settings["title"], "Night Post");
    assert_eq!(
        settings["navigation"],
        json!([{"label": "Home", "url": "/"}])
    );
    assert_eq!(settings["portal_button"], true);
    assert_eq!(
        value(&site, "navigation"),
        r#"[{"label":"Home","url":"/"}]"#
    );
}

#[test]
fn one_bad_value_changes_nothing() {
    let site = site();
    let before = value(&site, "title");
    for (key, bad) in [
        ("timezone", json!("Mars/Base")),
        ("navigation", json!("no json")),
        ("navigation", json!([{"label": "x"}])),
        ("description", json!("d".repeat(201))),
        ("members_signup_access", json!("nobody")),
        ("portal_button", json!("perhaps")),
    ] {
        let answer = set(
            &site,
            json!([{"key": "title", "value": "Half"}, {"key": key, "value": bad}]),
        );
        assert_eq!(answer.status, 422, "{key}: {}", answer.text());
        assert!(answer.text().contains(key), "{}", answer.text());
    }
    assert_eq!(value(&site, "title"), before);
}

#[test]
fn unknown_and_protected_keys_are_passed_over() {
    let site = site();
    let before = value(&site, "public_hash");
    let answer = set(
        &site,
        json!([
            {"key": "nonsense", "value": "x"},
            {"key": "public_hash", "value": "x"},
            {"key": "url", "value": "https://elsewhere.example/"},
        ]),
    );
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-cache-invalidate"), None);
    assert_eq!(value(&site, "public_hash"), before);
}

#[test]
fn what_a_content_file_sets_changes_with_that_file_only() {
    let site = site_of(TestApp::builder().file("site.toml", "title = 'From the file'\n"));
    let same = json!([
        {"key": "title", "value": "From the file"},
        {"key": "description", "value": "Mine"},
    ]);
    assert_eq!(set(&site, same).status, 200);
    let other = set(&site, json!([{"key": "title", "value": "Typed here"}]));
    assert_eq!(failure(&other).0, 422);
    assert!(other.text().contains("site.toml"), "{}", other.text());
    assert_eq!(value(&site, "title"), "From the file");
    assert_eq!(value(&site, "description"), "Mine");
}
