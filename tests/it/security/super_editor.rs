//! Tests of the permissions of a Super Editor: those of an Editor, and permissions on members. The recordings do not contain
//! this role.

use galley_tests::{Request, TestSite, Who, owner, request::ADMIN, staff::text};
use serde_json::{Value, json};

const ROLE: &str = "Super Editor";

fn site() -> TestSite {
    let site = TestSite::staffed();
    site.add_user(ROLE);
    site
}

/// Returns the status of a request, which must be the same with a session and with a staff token.
fn status(site: &TestSite, method: &str, endpoint: &str, body: &Value) -> u16 {
    let request = Request::new(method, &format!("{ADMIN}{endpoint}"));
    let request = match body {
        Value::Null => request,
        body => request.json(body),
    };
    let by_token = site.ask_as(&Who::staff_token(ROLE), &request);
    let by_cookie = site.ask_as(&Who::session(ROLE), &request);
    assert_eq!(
        by_token.status,
        by_cookie.status,
        "{method} {endpoint}: {} {}",
        by_token.text(),
        by_cookie.text()
    );
    by_cookie.status
}

#[test]
fn super_editor_reads_what_editors_read_and_members() {
    let site = site();
    for endpoint in [
        "/posts/",
        "/pages/",
        "/tags/",
        "/users/",
        "/roles/",
        "/invites/",
        "/settings/",
        "/newsletters/",
        "/tiers/",
        "/search-index/posts/",
        "/members/",
        "/labels/",
    ] {
        assert_eq!(
            status(&site, "GET", endpoint, &Value::Null),
            200,
            "{endpoint}"
        );
    }
}

#[test]
fn super_editor_edits_posts_of_others() {
    let site = site();
    let post = site.post_as(
        &owner(),
        "/posts/",
        &json!({"posts": [{"title": "The owner's"}]}),
    );
    let id = text(&post["posts"][0]["id"]);
    let read = || text(&site.get_as(&owner(), &format!("/posts/{id}/"))["posts"][0]["updated_at"]);
    let changes = json!({"posts": [{"status": "published", "updated_at": read()}]});
    let request = Request::new("PUT", &format!("{ADMIN}/posts/{id}/")).json(&changes);
    assert_eq!(site.ask_as(&Who::session(ROLE), &request).status, 200);
    let tag = json!({"tags": [{"name": "News"}]});
    assert_eq!(status(&site, "POST", "/tags/", &tag), 201);
}

#[test]
fn super_editor_cannot_do_administrator_tasks() {
    let site = site();
    let tier = json!({"tiers": [{"name": "Gold", "monthly_price": 1, "yearly_price": 2, "currency": "eur"}]});
    for (method, endpoint, body) in [
        (
            "PUT",
            "/settings/",
            json!({"settings": [{"key": "title", "value": "Mine"}]}),
        ),
        (
            "POST",
            "/settings/members/email/",
            json!({"email": "me@example.com"}),
        ),
        ("POST", "/tiers/", tier),
        (
            "POST",
            "/newsletters/",
            json!({"newsletters": [{"name": "Mine"}]}),
        ),
        ("POST", "/offers/", json!({"offers": [{"name": "Mine"}]})),
        ("GET", "/integrations/", Value::Null),
        (
            "POST",
            "/integrations/",
            json!({"integrations": [{"name": "Mine"}]}),
        ),
        (
            "POST",
            "/webhooks/",
            json!({"webhooks": [{"event": "post.added", "target_url": "https://a.example/"}]}),
        ),
        ("GET", "/actions/", Value::Null),
        (
            "POST",
            "/recommendations/",
            json!({"recommendations": [{"title": "Mine", "url": "https://a.example/"}]}),
        ),
        ("GET", "/db/", Value::Null),
        ("DELETE", "/db/", Value::Null),
        ("POST", "/authentication/reset/", json!({})),
    ] {
        assert_eq!(
            status(&site, method, endpoint, &body),
            403,
            "{method} {endpoint}"
        );
    }
    assert_eq!(
        site.get_as(&owner(), "/site/")["site"]["title"],
        "Reference"
    );
}

#[test]
fn super_editor_manages_authors_but_not_higher_roles() {
    let site = site();
    for (role, expected) in [
        ("Administrator", 403),
        ("Super Editor", 403),
        ("Editor", 403),
        ("Author", 201),
        ("Contributor", 201),
    ] {
        let address = format!("{}@example.org", role.to_lowercase().replace(' ', "-"));
        let invite = json!({"invites": [{"email": address, "role_id": site.role_id(role)}]});
        assert_eq!(
            status(&site, "POST", "/invites/", &invite),
            expected,
            "{role}"
        );
    }
    let owner_id = text(&site.get_as(&owner(), "/users/me/")["users"][0]["id"]);
    let changes = json!({"users": [{"name": "Somebody"}]});
    let endpoint = format!("/users/{owner_id}/");
    assert_eq!(status(&site, "PUT", &endpoint, &changes), 403);
    assert_eq!(status(&site, "DELETE", &endpoint, &Value::Null), 403);
}
