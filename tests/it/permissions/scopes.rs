//! Tests of API key scopes: the default scope, and the scope of an integration.

use galley::domain::integration::IntegrationScope;
use galley_tests::{
    Request, TestSite, Who, admin_token, http_client::HttpResponse, owner, request::ADMIN,
    staff::text,
};
use serde_json::{Value, json};

/// An integration: its id and its Admin API key.
struct Made {
    id: String,
    key: String,
    record: Value,
}

fn site(scope: Option<&str>) -> TestSite {
    let app = TestSite::builder();
    match scope {
        Some(scope) => app.option("security.integration_scope", scope),
        None => app,
    }
    .staffed()
    .start()
}

fn make(site: &TestSite, name: &str, scope: Option<&str>) -> Made {
    let mut record = json!({"name": name});
    if let Some(scope) = scope {
        record["scope"] = json!(scope);
    }
    let body = json!({"integrations": [record]});
    let made = site.post_as(&owner(), "/integrations/?include=api_keys", &body);
    let record = made["integrations"][0].clone();
    let keys = record["api_keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["type"] == "admin").unwrap();
    Made {
        id: text(&record["id"]),
        key: text(&key["secret"]),
        record,
    }
}

fn send(site: &TestSite, key: &str, request: Request) -> HttpResponse {
    let token = admin_token::of_key(key);
    let request = request.header("authorization", &format!("Ghost {token}"));
    site.ask_as(&Who::Anonymous, &request)
}

fn read(site: &TestSite, key: &str, endpoint: &str) -> u16 {
    send(
        site,
        key,
        Request::new("GET", &format!("{ADMIN}/{endpoint}")),
    )
    .status
}

fn add_tag(site: &TestSite, key: &str) -> HttpResponse {
    let tag = json!({"tags": [{"name": "T"}]});
    send(
        site,
        key,
        Request::new("POST", &format!("{ADMIN}/tags/")).json(&tag),
    )
}

#[test]
fn api_keys_have_ghosts_permissions_by_default() {
    let site = site(None);
    for endpoint in [
        "config/",
        "settings/",
        "labels/",
        "comments/",
        "posts/",
        "members/upload/",
    ] {
        assert_eq!(read(&site, site.admin_key(), endpoint), 200, "{endpoint}");
    }
    for endpoint in ["integrations/", "snippets/", "recommendations/"] {
        assert_eq!(read(&site, site.admin_key(), endpoint), 403, "{endpoint}");
    }
    assert_eq!(add_tag(&site, site.admin_key()).status, 201);
}

#[test]
fn own_scope_takes_precedence_over_the_default() {
    for (for_all, own, reaches_settings) in [
        (None, Some("specification"), false),
        (Some("specification"), None, false),
        (Some("specification"), Some("ghost"), true),
        (Some("read"), Some("ghost"), true),
    ] {
        let site = site(for_all);
        let made = make(&site, "Own", own);
        let status = read(&site, &made.key, "settings/");
        assert_eq!(status == 200, reaches_settings, "{for_all:?} {own:?}");
        assert_eq!(add_tag(&site, &made.key).status, 201, "{for_all:?} {own:?}");
    }
}

#[test]
fn read_only_key_changes_nothing() {
    let site = site(None);
    let made = make(&site, "Reader", Some("read"));
    for endpoint in ["posts/", "settings/", "members/", "config/"] {
        assert_eq!(read(&site, &made.key, endpoint), 200, "{endpoint}");
    }
    let tag = site.post_as(&owner(), "/tags/", &json!({"tags": [{"name": "Stored"}]}));
    let id = text(&tag["tags"][0]["id"]);
    let renamed = json!({"tags": [{"name": "Renamed"}]});
    let hook = json!({"webhooks": [{"event": "post.added", "target_url": "https://example.com/"}]});
    for request in [
        Request::new("POST", &format!("{ADMIN}/tags/")).json(&json!({"tags": [{"name": "T"}]})),
        Request::new("PUT", &format!("{ADMIN}/tags/{id}/")).json(&renamed),
        Request::new("DELETE", &format!("{ADMIN}/tags/{id}/")),
        Request::new("POST", &format!("{ADMIN}/webhooks/")).json(&hook),
    ] {
        let line = format!("{} {}", request.method, request.target);
        let response = send(&site, &made.key, request);
        let error = &response.json()["errors"][0];
        assert_eq!(
            (response.status, &error["type"]),
            (403, &json!("NoPermissionError")),
            "{line}"
        );
        assert_eq!(error["context"], "The scope of the key is \"read\".");
    }
    let stored = site.get_as(&owner(), &format!("/tags/{id}/"));
    assert_eq!(stored["tags"][0]["name"], "Stored");
}

#[test]
fn admin_api_sets_shows_and_resets_the_scope() {
    let site = site(None);
    let made = make(&site, "Narrow", Some("read"));
    assert_eq!(made.record["scope"], "read");
    let edit = |scope: Value| {
        let body = json!({"integrations": [{"scope": scope}]});
        let target = format!("{ADMIN}/integrations/{}/", made.id);
        site.ask_as(&owner(), &Request::new("PUT", &target).json(&body))
    };
    let edited = edit(json!("specification")).json();
    assert_eq!(edited["integrations"][0]["scope"], "specification");
    assert_eq!(read(&site, &made.key, "settings/"), 403);

    let edited = edit(Value::Null).json();
    assert!(
        edited["integrations"][0].get("scope").is_none(),
        "Ghost does not have this field"
    );
    assert_eq!(read(&site, &made.key, "settings/"), 200);

    assert_eq!(edit(json!("everything")).status, 422);
    assert!(make(&site, "Plain", None).record.get("scope").is_none());
}

/// Records of integrations of earlier versions have no scope.
#[test]
fn integration_without_a_scope_follows_the_default() {
    let now = jiff::Timestamp::now();
    let mut integration = galley::domain::integration::Integration::generate("Old", now).unwrap();
    let record = serde_json::to_value(&integration).unwrap();
    assert!(record.get("scope").is_none());
    let read: galley::domain::integration::Integration = serde_json::from_value(record).unwrap();
    assert_eq!(read.scope, None);

    integration.scope = Some(IntegrationScope::Read);
    let record = serde_json::to_value(&integration).unwrap();
    assert_eq!(record["scope"], "read");
}
