//! Tests of the navigation settings, and of settings that cannot be changed.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::{
    failure,
    settings::{set, value},
};

#[test]
fn navigation_entries_keep_all_keys_in_both_apis() {
    let site = TestSite::staffed();
    let menu = json!([
        {"url": "/docs/", "label": "Docs", "children": [
            {"label": "API", "url": "/docs/api/", "children": []},
            {"label": "Guide", "url": "/docs/guide/", "order": 1.5},
        ]},
        {"label": "", "url": "#/search", "icon": "/content/images/search.svg", "new_window": true},
        {"label": "About", "url": "/about/", "order": 7, "note": null, "badge": {"text": "new", "levels": [1, "two"]}},
    ]);
    for key in ["navigation", "secondary_navigation"] {
        let response = set(&site, json!([{"key": key, "value": menu.to_string()}]));
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(response.header("galley-ignored-fields"), None);
        assert_eq!(value(&site, key), menu.to_string());
        assert_eq!(site.json("settings/")["settings"][key], menu);
    }
}

#[test]
fn navigation_entries_that_run_code_are_reported_at_any_depth() {
    let site = TestSite::staffed();
    let active = json!({"label": "X", "url": "javascript:alert(1)"});
    let menu = json!([active, {"label": "Docs", "url": "/docs/", "children": [active, {"label": "API", "url": "/api/"}]}]);
    let response = set(&site, json!([{"key": "navigation", "value": menu}]));
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("galley-ignored-fields"), Some("navigation"));
    let stored =
        json!([{"label": "Docs", "url": "/docs/", "children": [{"label": "API", "url": "/api/"}]}]);
    assert_eq!(value(&site, "navigation"), stored.to_string());
}

#[test]
fn navigation_entries_are_validated_as_in_ghost() {
    let site = TestSite::staffed();
    for wrong in [
        json!({"label": "X", "url": 1}),
        json!({"label": 1, "url": "/"}),
        json!({"label": null, "url": "/", "icon": "/a.svg"}),
        json!({"label": "X", "url": "/", "icon": "anchor"}),
        json!({"label": "X", "url": "/", "icon": true}),
        json!({"label": "X", "url": "/", "visibility": "everyone"}),
        json!({"label": "X", "url": "/", "visibility": null}),
        json!({"url": "/"}),
        json!(7),
    ] {
        let response = set(&site, json!([{"key": "navigation", "value": [wrong]}]));
        assert_eq!(failure(&response).0, 422, "{wrong}");
        assert_eq!(failure(&response).2, "navigation", "{wrong}");
    }
    for valid in [
        json!({"url": "/", "icon": "https://example.com/a.svg"}),
        json!({"label": "X", "url": "/", "icon": null}),
        json!({"label": "X", "url": "/", "icon": "http://localhost:2368/a.svg", "visibility": "free_members"}),
    ] {
        let response = set(&site, json!([{"key": "navigation", "value": [valid]}]));
        assert_eq!(response.status, 200, "{valid}: {}", response.text());
        assert_eq!(value(&site, "navigation"), json!([valid]).to_string());
    }
}

#[test]
fn settings_that_cannot_be_changed_are_reported() {
    let site = TestSite::staffed();
    let response = set(
        &site,
        json!([
            {"key": "title", "value": "Night Post"},
            {"key": "unheard_of", "value": 1},
            {"key": "members_enabled", "value": "perhaps"},
            {"key": "paid_members_enabled", "value": false},
            {"key": "default_content_visibility", "value": "nonsense"},
            {"value": "without a key"},
        ]),
    );
    assert_eq!(response.status, 200, "{}", response.text());
    let named = response.header("galley-ignored-fields");
    assert_eq!(
        named,
        Some("settings.5, unheard_of, members_enabled, default_content_visibility")
    );
    let actions = site.read("actions/?limit=1");
    let context = actions["actions"][0]["context"].as_str().unwrap();
    let context: Value = serde_json::from_str(context).unwrap();
    assert_eq!(context["ignored_fields"][1], "unheard_of");
}
