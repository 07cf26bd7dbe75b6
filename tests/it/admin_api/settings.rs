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

/// The keys and values of the settings of a group.
fn group(site: &StaffedSite, name: &str) -> Vec<(String, Value)> {
    let listed = read(site, &format!("settings/?group={name}"));
    assert_eq!(listed["meta"]["filters"]["group"], name);
    let settings = listed["settings"].as_array().unwrap().iter();
    let pair = |setting: &Value| {
        let key = setting["key"].as_str().unwrap().to_owned();
        (key, setting["value"].clone())
    };
    settings.map(pair).collect()
}

#[test]
fn every_group_that_ghosts_clients_know_has_its_settings() {
    let site = site();
    for (name, key, value) in [
        ("members", "members_enabled", json!(true)),
        ("members", "paid_members_enabled", json!(false)),
        ("members", "stripe_connect_account_id", Value::Null),
        ("portal", "portal_products", json!("[]")),
        ("email", "email_track_opens", json!(false)),
        ("email", "mailgun_domain", Value::Null),
        (
            "editor",
            "editor_default_email_recipients",
            json!("visibility"),
        ),
        (
            "editor",
            "editor_default_email_recipients_filter",
            json!("all"),
        ),
        ("announcement", "announcement_background", json!("dark")),
        ("comments", "comments_enabled", json!("all")),
        ("analytics", "web_analytics", json!(false)),
        ("donations", "donations_enabled", json!(false)),
        ("recommendations", "recommendations_enabled", json!(false)),
        ("labs", "labs", json!("{}")),
        ("views", "shared_views", json!("[]")),
        ("unsplash", "unsplash", json!(true)),
        ("pintura", "pintura_js_url", Value::Null),
        ("security", "require_email_mfa", json!(false)),
        ("slack", "slack_url", json!("")),
    ] {
        let settings = group(&site, name);
        let found = settings.iter().find(|(known, _)| known == key);
        assert_eq!(found, Some(&(key.to_owned(), value)), "{name}");
    }
    let all = read(&site, "settings/");
    let mut keys: Vec<&str> = all["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|setting| setting["key"].as_str().unwrap())
        .collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "a setting is told twice");
}

#[test]
fn what_galley_does_not_have_cannot_be_turned_on() {
    let site = site();
    let wanted = json!([
        {"key": "stripe_secret_key", "value": "sk_live"},
        {"key": "email_track_opens", "value": true},
        {"key": "slack_url", "value": "https://hooks.example/"},
    ]);
    assert_eq!(set(&site, wanted).status, 200);
    assert_eq!(value(&site, "stripe_secret_key"), Value::Null);
    assert_eq!(value(&site, "email_track_opens"), json!(false));
    assert_eq!(value(&site, "slack_url"), json!(""));
}

#[test]
fn what_editors_keep_stays_as_they_wrote_it() {
    let site = site();
    let views = json!([{"name": "Mine", "filter": {"author": "ada"}}]);
    let kept = json!([
        {"key": "shared_views", "value": views.to_string()},
        {"key": "labs", "value": {"x": true}},
        {"key": "editor_default_email_recipients", "value": "disabled"},
        {"key": "announcement_content", "value": "<p>Soon</p>"},
        {"key": "announcement_visibility", "value": "[\"visitors\"]"},
    ]);
    assert_eq!(set(&site, kept).status, 200);
    assert_eq!(value(&site, "shared_views"), json!(views.to_string()));
    assert_eq!(value(&site, "labs"), json!("{\"x\":true}"));
    assert_eq!(
        value(&site, "announcement_visibility"),
        json!("[\"visitors\"]")
    );
    let readers = read_as_reader(&site, "settings/");
    assert_eq!(
        readers["settings"]["editor_default_email_recipients"],
        "disabled"
    );
    assert!(readers["settings"].get("announcement_content").is_none());
    for (key, bad) in [
        ("labs", "{"),
        ("shared_views", "no json"),
        ("editor_default_email_recipients", "some"),
    ] {
        let answer = set(&site, json!([{"key": key, "value": bad}]));
        assert_eq!(failure(&answer).0, 422, "{key}");
    }
}

#[test]
fn members_write_to_an_address_whatever_is_set() {
    let site = site();
    let of_readers = || read_as_reader(&site, "settings/")["settings"].clone();
    let host = of_readers()["members_support_address"].clone();
    let host = host
        .as_str()
        .unwrap()
        .strip_prefix("noreply@")
        .unwrap()
        .to_owned();
    for (set_to, told) in [
        ("help", format!("help@{host}")),
        ("noreply", format!("noreply@{host}")),
        ("help@example.com", "help@example.com".to_owned()),
        ("", format!("noreply@{host}")),
    ] {
        let answer = set(
            &site,
            json!([{"key": "members_support_address", "value": set_to}]),
        );
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(of_readers()["members_support_address"], json!(told));
        assert_eq!(of_readers()["support_email_address"], json!(told));
    }
    for bad in ["two words", "a@b@c", "@example.com", "help@"] {
        let answer = set(
            &site,
            json!([{"key": "members_support_address", "value": bad}]),
        );
        assert_eq!(failure(&answer).0, 422, "{bad}");
    }
}

#[test]
fn the_address_of_members_has_an_endpoint_of_its_own() {
    let site = site();
    let send = |body: Value| ask(&site, "POST", "settings/members/email/", Some(&body));
    let answer = send(json!({"email": "help@example.com", "type": "supportAddressUpdate"}));
    assert_eq!(answer.status, 204, "{}", answer.text());
    assert_eq!(value(&site, "members_support_address"), "help@example.com");
    assert_eq!(failure(&send(json!({"email": "two words"}))).0, 422);
    assert_eq!(failure(&send(json!({"email": 5}))).2, json!("email"));
    assert_eq!(failure(&send(json!({}))).0, 422);
    let confirmed = json!({"token": "anything"});
    let confirmed = ask(&site, "PUT", "settings/verifications/", Some(&confirmed));
    assert_eq!(failure(&confirmed).0, 422);
}

#[test]
fn clients_are_told_whether_mail_goes_out() {
    let site = site();
    let config = read(&site, "config/")["config"].clone();
    assert_eq!(config["mail"], "SMTP");
    assert_eq!(config["security"]["staffDeviceVerification"], json!(false));
}
