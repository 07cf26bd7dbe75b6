//! Tests that staff read and change settings.

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::{Value, json};

use super::failure;

pub fn set(site: &TestSite, settings: Value) -> HttpResponse {
    site.ask("PUT", "settings/", Some(&json!({"settings": settings})))
}

pub fn value(site: &TestSite, key: &str) -> Value {
    let listed = site.read("settings/");
    let settings = listed["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["key"] == key);
    found.unwrap_or_else(|| panic!("no {key}"))["value"].clone()
}

#[test]
fn changed_settings_are_served_immediately() {
    let site = TestSite::staffed();
    let response = set(
        &site,
        json!([
            {"key": "title", "value": "Night Post"},
            {"key": "navigation", "value": [{"label": "Home", "url": "/"}]},
            {"key": "portal_button", "value": "true"},
        ]),
    );
    assert_eq!(response.header("x-cache-invalidate"), Some("/*"));
    let settings = &site.json("settings/")["settings"];
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
fn one_invalid_value_rejects_all() {
    let site = TestSite::staffed();
    let before = value(&site, "title");
    for (key, bad) in [
        ("timezone", json!("Mars/Base")),
        ("navigation", json!("no json")),
        ("navigation", json!([{"label": "x"}])),
        ("description", json!("d".repeat(201))),
        ("members_signup_access", json!("nonsense")),
        ("portal_button", json!("perhaps")),
    ] {
        let response = set(
            &site,
            json!([{"key": "title", "value": "Half"}, {"key": key, "value": bad}]),
        );
        assert_eq!(response.status, 422, "{key}: {}", response.text());
        assert!(response.text().contains(key), "{}", response.text());
    }
    assert_eq!(value(&site, "title"), before);
}

#[test]
fn cleared_optional_text_is_null_and_unset_one_keeps_its_default() {
    let site = TestSite::staffed();
    for key in [
        "title",
        "description",
        "logo",
        "icon",
        "codeinjection_head",
        "heading_font",
        "body_font",
        "password",
        "editor_default_email_recipients_filter",
        "meta_title",
    ] {
        for nothing in [json!(""), Value::Null] {
            let response = set(&site, json!([{"key": key, "value": nothing}]));
            assert_eq!(response.status, 200, "{key}: {}", response.text());
            assert_eq!(value(&site, key), Value::Null, "{key}");
        }
    }
    let readers = site.json("settings/");
    assert_eq!(readers["settings"]["title"], Value::Null);
    assert_eq!(readers["settings"]["logo"], Value::Null);
    assert_eq!(value(&site, "codeinjection_foot"), "");
    assert_eq!(value(&site, "cover_image"), Value::Null);
}

#[test]
fn required_setting_cannot_be_cleared() {
    let site = TestSite::staffed();
    for key in [
        "timezone",
        "locale",
        "accent_color",
        "comments_enabled",
        "members_signup_access",
        "is_private",
        "portal_button_style",
        "outbound_link_tagging",
        "announcement_background",
        "editor_default_email_recipients",
    ] {
        let before = value(&site, key);
        for nothing in [json!(""), Value::Null] {
            let response = set(&site, json!([{"key": key, "value": nothing}]));
            assert_eq!(failure(&response).0, 422, "{key}");
        }
        assert_eq!(value(&site, key), before, "{key}");
    }
}

#[test]
fn navigation_entries_need_label_and_url() {
    let site = TestSite::staffed();
    let menu = |label: &str, url: &str| json!([{"label": label, "url": url}]);
    for key in ["navigation", "secondary_navigation"] {
        for url in [
            "https://example.com/",
            "/about/",
            "#/portal/",
            "mailto:a@example.com",
            "tel:123",
            "//example.com/",
            "javascript:void(0)",
        ] {
            let response = set(&site, json!([{"key": key, "value": menu("X", url)}]));
            assert_eq!(response.status, 200, "{url}: {}", response.text());
        }
        let wrong = [
            menu("X", "x"),
            menu("X", "example.com"),
            menu("X", "bad url"),
            menu("X", "/a b/"),
            menu("X", ""),
            menu("", "/"),
            menu(" ", "/"),
            json!([{"label": "X"}]),
            json!(["X"]),
        ];
        for wrong in wrong {
            let response = set(&site, json!([{"key": key, "value": wrong}]));
            assert_eq!(failure(&response).0, 422, "{wrong}");
            assert_eq!(failure(&response).2, json!(key), "{wrong}");
        }
        for no_list in [Value::Null, json!(""), json!("no json"), json!({})] {
            let response = set(&site, json!([{"key": key, "value": no_list}]));
            assert_eq!(failure(&response).0, 422, "{no_list}");
            assert_eq!(failure(&response).2, json!("value"), "{no_list}");
        }
    }
}

#[test]
fn error_names_the_setting() {
    let site = TestSite::staffed();
    for (key, bad) in [
        ("announcement_visibility", "[\"everybody\"]"),
        ("announcement_background", "pink"),
        ("announcement_background", ""),
        ("members_support_address", "two words"),
    ] {
        let response = set(&site, json!([{"key": key, "value": bad}]));
        assert_eq!(failure(&response).0, 422, "{key}");
        assert_eq!(failure(&response).2, json!(key));
    }
}

#[test]
fn entries_without_a_key_are_ignored() {
    let site = TestSite::staffed();
    let response = set(
        &site,
        json!([{"value": "x"}, {"key": 5, "value": "x"}, {"title": "x"}, "x", {"key": "title", "value": "Stored"}]),
    );
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(value(&site, "title"), "Stored");
    assert_eq!(set(&site, json!(["x"])).status, 200);
    assert_eq!(set(&site, json!([])).status, 400);
}

#[test]
fn recommendations_setting_follows_their_number() {
    let site = TestSite::staffed();
    let shown = || value(&site, "recommendations_enabled");
    assert_eq!(shown(), json!(false));
    let other = json!({"recommendations": [{"title": "R", "url": "https://example.org/"}]});
    let response = site.ask("POST", "recommendations/", Some(&other));
    assert_eq!(shown(), json!(true));
    let id = response.json()["recommendations"][0]["id"].clone();
    let endpoint = format!("recommendations/{}/", id.as_str().unwrap());
    assert_eq!(site.ask("DELETE", &endpoint, None).status, 204);
    assert_eq!(shown(), json!(false));
}

#[test]
fn empty_group_filter_returns_all_groups() {
    let site = TestSite::staffed();
    let listed = site.read("settings/?group=");
    assert_eq!(listed["meta"], json!({}));
    assert_eq!(listed["settings"], site.read("settings/")["settings"]);
}

#[test]
fn default_tiers_apply_to_posts_without_their_own() {
    let site = TestSite::staffed();
    let gold = json!({"tiers": [{"name": "Gold", "monthly_price": 500, "yearly_price": 5000, "currency": "usd"}]});
    let gold: Value =
        serde_json::from_slice(&site.ask("POST", "tiers/", Some(&gold)).body).unwrap();
    let gold = gold["tiers"][0]["id"].clone();
    let missing_tier = "0123456789abcdef01234567";
    let response = set(
        &site,
        json!([
            {"key": "default_content_visibility", "value": "tiers"},
            {"key": "default_content_visibility_tiers", "value": json!([gold, missing_tier]).to_string()},
        ]),
    );
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(value(&site, "default_content_visibility"), "tiers");
    assert_eq!(
        value(&site, "default_content_visibility_tiers"),
        json!(json!([gold, missing_tier]).to_string())
    );
    assert!(
        group(&site, "members")
            .iter()
            .any(|(key, _)| key == "default_content_visibility_tiers")
    );

    let added = |post: Value| {
        let response = site.ask("POST", "posts/", Some(&json!({"posts": [post]})));
        let response: Value = serde_json::from_slice(&response.body).unwrap();
        response["posts"][0].clone()
    };
    let tiers = |post: &Value| -> Vec<Value> {
        let tiers = post["tiers"].as_array().unwrap().iter();
        tiers.map(|tier| tier["id"].clone()).collect()
    };
    let without_visibility = added(json!({"title": "Says nothing"}));
    assert_eq!(without_visibility["visibility"], "tiers");
    assert_eq!(tiers(&without_visibility), [gold]);
    assert_eq!(
        added(json!({"title": "Open", "visibility": "public"}))["visibility"],
        "public"
    );

    let nonsense = json!([{"key": "default_content_visibility", "value": "nonsense"}]);
    assert_eq!(set(&site, nonsense).status, 200);
    assert_eq!(value(&site, "default_content_visibility"), "tiers");
}

#[test]
fn unknown_and_protected_keys_are_ignored() {
    let site = TestSite::staffed();
    let before = value(&site, "public_hash");
    let response = set(
        &site,
        json!([
            {"key": "nonsense", "value": "x"},
            {"key": "public_hash", "value": "x"},
            {"key": "url", "value": "https://elsewhere.example/"},
        ]),
    );
    assert_eq!(response.status, 200);
    assert_eq!(response.header("x-cache-invalidate"), None);
    assert_eq!(value(&site, "public_hash"), before);
}

#[test]
fn setting_of_a_content_file_changes_only_with_the_file() {
    let site = TestSite::builder()
        .file("site.toml", "title = 'From the file'\n")
        .staffed()
        .start();
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

/// Returns the keys and values of a group's settings.
fn group(site: &TestSite, name: &str) -> Vec<(String, Value)> {
    let listed = site.read(&format!("settings/?group={name}"));
    assert_eq!(listed["meta"]["filters"]["group"], name);
    let settings = listed["settings"].as_array().unwrap().iter();
    let pair = |setting: &Value| {
        let key = setting["key"].as_str().unwrap().to_owned();
        (key, setting["value"].clone())
    };
    settings.map(pair).collect()
}

#[test]
fn every_known_group_has_its_settings() {
    let site = TestSite::staffed();
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
    let all = site.read("settings/");
    let mut keys: Vec<&str> = all["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|setting| setting["key"].as_str().unwrap())
        .collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count, "a setting is listed twice");
}

#[test]
fn unsupported_features_are_refused_with_a_reason() {
    let site = TestSite::staffed();
    for (key, enabled, served) in [
        ("email_track_opens", json!(true), json!(false)),
        ("slack_url", json!("https://hooks.example/"), json!("")),
        ("explore_ping", json!("true"), json!(false)),
    ] {
        let wanted = json!([{"key": "description", "value": key}, {"key": key, "value": enabled}]);
        let response = set(&site, wanted);
        assert_eq!(failure(&response).0, 422, "{key}");
        let message = response.json()["errors"][0]["message"].to_string();
        assert!(message.contains("Galley "), "{message}");
        assert_eq!(value(&site, key), served);
        assert_ne!(value(&site, "description"), json!(key));
        assert_eq!(
            set(&site, json!([{"key": key, "value": served}])).status,
            200
        );
    }
    // Ghost protects this key.
    let secret = json!([{"key": "stripe_secret_key", "value": "sk_live"}]);
    assert_eq!(set(&site, secret).status, 200);
    assert_eq!(value(&site, "stripe_secret_key"), Value::Null);
}

#[test]
fn blocked_domains_are_stored() {
    let site = TestSite::staffed();
    let blocked = json!("[\"spam.example\"]");
    assert_eq!(
        set(
            &site,
            json!([{"key": "blocked_email_domains", "value": blocked}])
        )
        .status,
        200
    );
    assert_eq!(value(&site, "blocked_email_domains"), blocked);
    assert_eq!(value(&site, "all_blocked_email_domains"), blocked);
}

#[test]
fn editor_preferences_are_stored_verbatim() {
    let site = TestSite::staffed();
    let views = json!([{"name": "Mine", "filter": {"author": "ada"}}]);
    let allowed = json!([
        {"key": "shared_views", "value": views.to_string()},
        {"key": "labs", "value": {"x": true}},
        {"key": "editor_default_email_recipients", "value": "disabled"},
        {"key": "announcement_content", "value": "<p>Soon</p>"},
        {"key": "announcement_visibility", "value": "[\"visitors\"]"},
    ]);
    assert_eq!(set(&site, allowed).status, 200);
    assert_eq!(value(&site, "shared_views"), json!(views.to_string()));
    assert_eq!(value(&site, "labs"), json!("{\"x\":true}"));
    assert_eq!(
        value(&site, "announcement_visibility"),
        json!("[\"visitors\"]")
    );
    let readers = site.json("settings/");
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
        let response = set(&site, json!([{"key": key, "value": bad}]));
        assert_eq!(failure(&response).0, 422, "{key}");
    }
}

#[test]
fn support_address_always_resolves() {
    let site = TestSite::staffed();
    let of_readers = || site.json("settings/")["settings"].clone();
    let host = of_readers()["members_support_address"].clone();
    let host = host
        .as_str()
        .unwrap()
        .strip_prefix("noreply@")
        .unwrap()
        .to_owned();
    for (set_to, shown) in [
        ("help", format!("help@{host}")),
        ("noreply", format!("noreply@{host}")),
        ("help@example.com", "help@example.com".to_owned()),
        ("", format!("noreply@{host}")),
    ] {
        let response = set(
            &site,
            json!([{"key": "members_support_address", "value": set_to}]),
        );
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(of_readers()["members_support_address"], json!(shown));
        assert_eq!(of_readers()["support_email_address"], json!(shown));
    }
    for bad in ["two words", "a@b@c", "@example.com", "help@"] {
        let response = set(
            &site,
            json!([{"key": "members_support_address", "value": bad}]),
        );
        assert_eq!(failure(&response).0, 422, "{bad}");
    }
}

#[test]
fn support_address_has_its_own_endpoint() {
    let site = TestSite::staffed();
    let send = |body: Value| site.ask("POST", "settings/members/email/", Some(&body));
    let response = send(json!({"email": "help@example.com", "type": "supportAddressUpdate"}));
    assert_eq!(response.status, 204, "{}", response.text());
    assert_eq!(value(&site, "members_support_address"), "help@example.com");
    assert_eq!(failure(&send(json!({"email": "two words"}))).0, 422);
    assert_eq!(failure(&send(json!({"email": 5}))).2, json!("email"));
    assert_eq!(failure(&send(json!({}))).0, 422);
    let confirmed = json!({"token": "anything"});
    let confirmed = site.ask("PUT", "settings/verifications/", Some(&confirmed));
    assert_eq!(failure(&confirmed).0, 422);
}

#[test]
fn config_reports_whether_mail_is_configured() {
    let site = TestSite::staffed();
    let config = site.read("config/")["config"].clone();
    assert_eq!(config["mail"], "SMTP");
    assert_eq!(config["mailgunIsConfigured"], json!(true));
    assert_eq!(config["security"]["staffDeviceVerification"], json!(false));
}

/// The values are those of an unconfigured Ghost.
#[test]
fn config_reports_no_gif_provider_and_the_signup_form_url() {
    let config = TestSite::staffed().read("config/")["config"].clone();
    let klipy = json!({"apiKey": null, "contentFilter": "off"});
    assert_eq!(config["klipy"], klipy);
    let url = config["signupForm"]["url"].as_str().unwrap();
    assert!(url.contains("{version}"), "{url}");
    assert_eq!(config["signupForm"]["version"], "0.3");
}

#[test]
fn config_reports_the_experimental_features_that_work() {
    let site = TestSite::staffed();
    let labs = || site.read("config/")["config"]["labs"].clone();
    assert_eq!(labs(), json!({"members": true}));
    let on = json!({"editorExcerpt": true, "navigationIcons": false, "x": true});
    set(&site, json!([{"key": "labs", "value": on.to_string()}]));
    assert_eq!(labs(), json!({"editorExcerpt": true, "members": true}));
    let navigation = json!([{"label": "Pier", "url": "/pier/", "icon": "/content/images/anchor.svg", "visibility": "members"}]);
    set(
        &site,
        json!([{"key": "navigation", "value": navigation.to_string()}]),
    );
    assert_eq!(value(&site, "navigation"), navigation.to_string());
}

#[test]
fn unsupported_experimental_features_are_refused_with_the_reason() {
    let site = TestSite::staffed();
    for (feature, reason) in [
        ("automations", "Galley has no automations."),
        ("additionalPaymentMethods", "Galley takes no payments."),
    ] {
        let labs = json!([{"key": "labs", "value": json!({feature: true}).to_string()}]);
        let response = site.ask("PUT", "settings/", Some(&json!({"settings": labs})));
        let error = response.json()["errors"][0].clone();
        assert_eq!(
            (error["property"].as_str(), error["message"].as_str()),
            (Some("labs"), Some(reason))
        );
        let off = json!([{"key": "labs", "value": json!({feature: false}).to_string()}]);
        set(&site, off);
    }
}

#[test]
fn password_of_a_private_site_can_be_replaced_by_a_random_one() {
    let site = TestSite::staffed();
    set(
        &site,
        json!([{"key": "is_private", "value": true}, {"key": "password", "value": "pier"}]),
    );
    let response = site.ask("POST", "settings/access_code/regenerate/", None);
    assert_eq!(response.header("x-cache-invalidate"), Some("/*"));
    let listed = response.json()["settings"].as_array().unwrap().clone();
    let password = listed
        .iter()
        .find(|setting| setting["key"] == "password")
        .unwrap();
    assert_eq!(password["value"].as_str().unwrap().len(), 12);
    assert_eq!(value(&site, "password"), password["value"]);
}
