//! Tests that `site.changed` is sent exactly when a response of the API invalidates all caches.

use galley_tests::{Request, http_client::HttpResponse, multipart::Form, owner, request::ADMIN};
use serde_json::{Value, json};

use super::audience::{Audience, document, names, record_path};

impl Audience {
    /// Asserts that the response invalidates all caches and `site.changed` was sent once, last, exactly if `is_expected`.
    fn assert_site_changed(&mut self, what: &str, response: &HttpResponse, is_expected: bool) {
        let invalidates = response.header("x-cache-invalidate") == Some("/*");
        let heard = self.hears();
        let names = names(&heard);
        let times = names.iter().filter(|name| **name == "site.changed").count();
        assert_eq!(invalidates, is_expected, "{what}: x-cache-invalidate");
        assert_eq!(times, usize::from(is_expected), "{what}: {names:?}");
        if is_expected {
            assert_eq!(names.last(), Some(&"site.changed"), "{what}");
        }
    }

    /// Sends a request that must send `site.changed`, and returns the record of the response.
    fn expect_changed(&mut self, method: &str, endpoint: &str, body: Value) -> Value {
        self.expect(method, endpoint, &body, true)
    }

    /// Sends a request that must not send `site.changed`, and returns the record of the response.
    fn expect_unchanged(&mut self, method: &str, endpoint: &str, body: Value) -> Value {
        self.expect(method, endpoint, &body, false)
    }

    fn expect(&mut self, method: &str, endpoint: &str, body: &Value, is_expected: bool) -> Value {
        let response = self.done(method, endpoint, body);
        self.assert_site_changed(
            &format!("{method} {endpoint} {body}"),
            &response,
            is_expected,
        );
        let json: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let kind = endpoint.split('/').next().unwrap();
        json[kind][0].clone()
    }

    fn upload(&mut self, endpoint: &str, form: Form, is_expected: bool) {
        let ask = Request::new("POST", &format!("{ADMIN}/{endpoint}")).form(form);
        let response = self.site.done(&owner(), ask);
        self.assert_site_changed(endpoint, &response, is_expected);
    }
}

/// Returns the request body for one record of this kind.
fn one(kind: &str, record: Value) -> Value {
    json!({ kind: [record] })
}

/// Returns the request body for an edit of a post or page that was read before.
fn change(kind: &str, known: &Value, mut change: Value) -> Value {
    change["updated_at"] = known["updated_at"].clone();
    one(kind, change)
}

#[test]
fn site_changed_is_sent_for_posts_and_pages() {
    let mut audience = Audience::new();
    for kind in ["posts", "pages"] {
        let endpoint = format!("{kind}/");
        let draft = audience.expect_unchanged(
            "POST",
            &endpoint,
            one(kind, json!({"title": "D", "tags": ["T"]})),
        );
        let at = record_path(kind, &draft);
        let draft = audience.expect_unchanged(
            "PUT",
            &at,
            change(kind, &draft, json!({"title": "E", "tags": ["U"]})),
        );
        let scheduled = json!({"status": "scheduled", "published_at": "2099-01-01T00:00:00.000Z"});
        let waits = audience.expect_unchanged("PUT", &at, change(kind, &draft, scheduled.clone()));
        let waits =
            audience.expect_unchanged("PUT", &at, change(kind, &waits, json!({"title": "F"})));
        let public = audience.expect_changed(
            "PUT",
            &at,
            change(kind, &waits, json!({"status": "published"})),
        );
        let public =
            audience.expect_changed("PUT", &at, change(kind, &public, json!({"title": "G"})));
        let body = json!({"lexical": document("Text.")});
        let public = audience.expect_changed("PUT", &at, change(kind, &public, body));
        let public =
            audience.expect_changed("PUT", &at, change(kind, &public, json!({"og_title": "O"})));
        let public =
            audience.expect_changed("PUT", &at, change(kind, &public, json!({"tags": ["V"]})));
        audience.expect_unchanged("PUT", &at, change(kind, &public, json!({"title": "G"})));
        audience.expect_unchanged("POST", &format!("{at}copy/"), Value::Null);
        let draft = audience.expect_changed(
            "PUT",
            &at,
            change(kind, &public, json!({"status": "draft"})),
        );
        audience.expect_unchanged("PUT", &at, change(kind, &draft, json!({"title": "H"})));
        audience.expect_unchanged("DELETE", &at, Value::Null);

        let public = one(kind, json!({"title": "P", "status": "published"}));
        let public = audience.expect_changed("POST", &endpoint, public);
        audience.expect_changed("DELETE", &record_path(kind, &public), Value::Null);
        let mut waits = scheduled;
        waits["title"] = json!("W");
        let waits = audience.expect_unchanged("POST", &endpoint, one(kind, waits));
        audience.expect_changed("DELETE", &record_path(kind, &waits), Value::Null);
    }
}

#[test]
fn site_changed_is_sent_for_email_only_posts_and_bulk_changes() {
    let mut audience = Audience::new();
    let sent = json!({"title": "S", "email_only": true, "status": "published"});
    let sent = audience.expect_unchanged("POST", "posts/", one("posts", sent));
    audience.expect_changed("DELETE", &record_path("posts", &sent), Value::Null);

    audience.expect_unchanged("POST", "posts/", one("posts", json!({"title": "B"})));
    let bulk = |action: &str, meta: Value| json!({"bulk": {"action": action, "meta": meta}});
    let endpoint = "posts/bulk/?filter=title:B";
    // A bulk change always sends `site.changed`, whatever the status of its posts (Ghost 6.65, recorded).
    audience.expect_changed("PUT", endpoint, bulk("feature", json!({})));
    audience.expect_changed(
        "PUT",
        endpoint,
        bulk("addTag", json!({"tags": [{"name": "New"}]})),
    );
    audience.expect_changed("DELETE", "posts/?filter=title:B", Value::Null);
}

#[test]
fn site_changed_is_sent_for_tags_but_not_labels() {
    let mut audience = Audience::new();
    let tag = audience.expect_changed("POST", "tags/", one("tags", json!({"name": "A"})));
    let at = record_path("tags", &tag);
    audience.expect_changed("PUT", &at, one("tags", json!({"description": "d"})));
    audience.expect_unchanged("PUT", &at, one("tags", json!({"description": "d"})));
    audience.expect_changed("DELETE", &at, Value::Null);

    let label = audience.expect_unchanged("POST", "labels/", one("labels", json!({"name": "A"})));
    let at = record_path("labels", &label);
    audience.expect_changed("PUT", &at, one("labels", json!({"name": "B"})));
    audience.expect_unchanged("PUT", &at, one("labels", json!({"name": "B"})));
    audience.expect_changed("DELETE", &at, Value::Null);
}

#[test]
fn site_changed_is_sent_for_settings_files_and_themes() {
    let mut audience = Audience::new();
    let title = json!({"settings": [{"key": "title", "value": "T"}]});
    audience.expect_changed("PUT", "settings/", title.clone());
    // Setting an unchanged value sends the event, too (Ghost 6.65, observed); a value for an unknown setting does not.
    audience.expect_changed("PUT", "settings/", title);
    let unknown = json!({"settings": [{"key": "nonsense", "value": "x"}]});
    audience.expect_unchanged("PUT", "settings/", unknown);
    let redirects = br#"[{"from": "/a", "to": "/b"}]"#;
    let form = Form::default().file("redirects", "redirects.json", "application/json", redirects);
    audience.upload("redirects/upload/", form, true);
    let routes =
        b"routes:\ncollections:\n  /:\n    permalink: /{slug}/\ntaxonomies:\n  tag: /tag/{slug}/\n";
    let form = Form::default().file("routes", "routes.yaml", "application/yaml", routes);
    audience.upload("settings/routes/yaml/", form, true);
    // Activating the theme that is already active sends the event, too (Ghost 6.65, recorded).
    audience.expect_changed("PUT", "themes/source/activate/", Value::Null);
    audience.expect_changed("PUT", "themes/casper/activate/", Value::Null);
}

#[test]
fn site_changed_is_sent_for_tiers_newsletters_offers_and_recommendations() {
    let mut audience = Audience::new();
    let gold =
        json!({"name": "Gold", "monthly_price": 500, "yearly_price": 5000, "currency": "usd"});
    let tier = audience.expect_changed("POST", "tiers/", one("tiers", gold));
    audience.expect_changed(
        "PUT",
        &record_path("tiers", &tier),
        one("tiers", json!({"description": "d"})),
    );
    let newsletter = audience.expect_changed(
        "POST",
        "newsletters/",
        one("newsletters", json!({"name": "N"})),
    );
    let at = record_path("newsletters", &newsletter);
    audience.expect_changed("PUT", &at, one("newsletters", json!({"name": "M"})));
    let offer = json!({
        "name": "O", "code": "o", "display_title": "", "display_description": "", "type": "percent",
        "cadence": "year", "amount": 20, "duration": "once", "tier": {"id": tier["id"]},
    });
    audience.expect_changed("POST", "offers/", one("offers", offer));
    let other = json!({"title": "R", "url": "https://example.org/"});
    let other = audience.expect_changed("POST", "recommendations/", one("recommendations", other));
    let at = record_path("recommendations", &other);
    audience.expect_changed("PUT", &at, one("recommendations", json!({"title": "S"})));
    audience.expect_changed("DELETE", &at, Value::Null);
}

#[test]
fn site_changed_is_not_sent_for_members_integrations_invites_and_sessions() {
    let mut audience = Audience::new();
    let member = json!({"email": "a@example.com", "labels": ["x"]});
    let member = audience.expect_unchanged("POST", "members/", one("members", member));
    let at = record_path("members", &member);
    audience.expect_unchanged("PUT", &at, one("members", json!({"name": "A"})));
    audience.expect_unchanged("DELETE", &at, Value::Null);
    let list = b"email,labels\nb@example.com,y\n";
    let form = Form::default().file("membersfile", "m.csv", "text/csv", list);
    audience.upload("members/upload/", form, false);
    audience.expect_unchanged(
        "POST",
        "integrations/",
        one("integrations", json!({"name": "I"})),
    );
    audience.expect_unchanged(
        "POST",
        "snippets/",
        one(
            "snippets",
            json!({"name": "S", "mobiledoc": "{}", "lexical": "{}"}),
        ),
    );
    audience.site.add_user("Author");
    assert_eq!(names(&audience.hears()), Vec::<&str>::new());
}

#[test]
fn site_changed_is_sent_for_changes_of_public_authors() {
    let mut audience = Audience::new();
    audience.site.add_user("Author");
    let author = audience.site.get_as(&owner(), "/users/slug/author/")["users"][0].clone();
    let at = record_path("users", &author);
    audience.expect_changed("PUT", &at, one("users", json!({"bio": "Writes."})));
    audience.expect_unchanged("PUT", &at, one("users", json!({"bio": "Writes."})));
    audience.expect_unchanged(
        "PUT",
        &at,
        one("users", json!({"comment_notifications": false})),
    );
    audience.expect_changed("PUT", &at, one("users", json!({"status": "inactive"})));
    audience.expect_unchanged("PUT", &at, one("users", json!({"status": "inactive"})));
    audience.expect_changed("DELETE", &at, Value::Null);
}

#[test]
fn site_changed_is_sent_for_imports_and_deletion_of_all_content() {
    let mut audience = Audience::new();
    let export = json!({"db": [{"meta": {"version": "6.0.0"}, "data": {
        "posts": [{"id": "1", "title": "Draft", "slug": "draft", "status": "draft", "html": "<p>a</p>"}],
    }}]});
    let form = |export: &Value| {
        let bytes = export.to_string();
        Form::default().file("importfile", "e.json", "application/json", bytes.as_bytes())
    };
    audience.upload("db/", form(&export), true);
    audience.upload("db/?events=false", form(&json!({"db": [{"meta": {"version": "6.0.0"}, "data": {
        "posts": [{"id": "2", "title": "Public", "slug": "public", "status": "published", "html": "<p>a</p>"}],
    }}]})), true);
    audience.expect_changed("DELETE", "db/", Value::Null);
}
