//! Tests that every endpoint with a filter compares times only with dates.

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use super::failure;

/// Asserts that a filter was refused for the invalid date `undefined`, with an error that names the date and `field`.
fn assert_refused(response: &HttpResponse, field: &str, about: &str) {
    assert_eq!(response.status, 422, "{about}: {}", response.text());
    let expected = (422, "ValidationError".to_owned(), Value::Null);
    assert_eq!(failure(response), expected, "{about}");
    let error = &response.json()["errors"][0];
    let text = format!("{} {}", error["message"], error["context"]);
    assert!(text.contains("undefined"), "{about}: {text}");
    assert!(text.contains(field), "{about}: {text}");
}

fn filtered(path: &str, filter: &str) -> String {
    let filter: String = byte_serialize(filter.as_bytes()).collect();
    format!("{path}?filter={filter}")
}

#[test]
fn every_list_rejects_invalid_dates() {
    let site = TestSite::staffed();
    for (list, field) in [
        ("posts/", "published_at"),
        ("posts/", "tags.created_at"),
        ("posts/", "authors.last_seen"),
        ("posts/export/", "created_at"),
        ("pages/", "updated_at"),
        ("tags/", "created_at"),
        ("users/", "last_seen"),
        ("members/", "created_at"),
        ("members/", "last_seen_at"),
        ("members/", "labels.created_at"),
        ("members/", "newsletters.created_at"),
        ("members/", "subscriptions.start_date"),
        ("members/upload/", "created_at"),
        ("members/events/", "data.created_at"),
        ("labels/", "created_at"),
        ("newsletters/", "created_at"),
        ("tiers/", "updated_at"),
        ("snippets/", "created_at"),
        ("recommendations/", "created_at"),
        ("actions/", "created_at"),
        ("invites/", "created_at"),
        ("emails/", "created_at"),
        ("comments/", "created_at"),
    ] {
        for condition in [
            ">'undefined'",
            "-'undefined'",
            "[2024-01-01,'undefined']",
            "-['undefined']",
        ] {
            let target = filtered(list, &format!("{field}:{condition}"));
            assert_refused(&site.ask("GET", &target, None), field, &target);
        }
        for condition in ["<='2024/1/1'", ">now-7d", "null", "-null"] {
            let target = filtered(list, &format!("{field}:{condition}"));
            let response = site.ask("GET", &target, None);
            assert_eq!(response.status, 200, "{target}: {}", response.text());
        }
    }
}

#[test]
fn ignored_conditions_need_no_valid_date() {
    let site = TestSite::staffed();
    for target in ["offers/", "integrations/"] {
        site.read(&filtered(target, "created_at:'undefined'"));
    }
}

#[test]
fn bulk_actions_with_an_invalid_date_change_nothing() {
    let site = TestSite::staffed();
    site.add("posts", json!({"title": "Unchanged"}));
    site.add("members", json!({"email": "unchanged@example.com"}));

    let feature = json!({"bulk": {"action": "feature"}});
    let unsubscribe = json!({"bulk": {"action": "unsubscribe"}});
    for (method, path, body) in [
        ("PUT", "posts/bulk/", Some(&feature)),
        ("DELETE", "posts/", None),
        ("PUT", "members/bulk/", Some(&unsubscribe)),
        ("DELETE", "members/", None),
    ] {
        let target = filtered(path, "created_at:-'undefined'");
        assert_refused(&site.ask(method, &target, body), "created_at", &target);
    }

    assert_eq!(site.read("posts/")["posts"][0]["featured"], false);
    let members = &site.read("members/")["members"];
    assert_ne!(members[0]["newsletters"], json!([]));
}

#[test]
fn post_is_not_mailed_to_a_segment_with_an_invalid_date() {
    let site = TestSite::staffed();
    let draft = json!({"posts": [{"title": "Letter"}]});
    let response = site.ask("POST", "posts/", Some(&draft));
    let post = &response.json()["posts"][0];

    let target = format!(
        "posts/{}/?newsletter=default-newsletter&email_segment=created_at:%3E%27undefined%27",
        post["id"].as_str().unwrap()
    );
    let change = json!({"posts": [{"status": "published", "updated_at": post["updated_at"]}]});
    let refused = site.ask("PUT", &target, Some(&change));

    assert_refused(&refused, "created_at", "segment");
    let id = post["id"].as_str().unwrap();
    let unchanged = site.read(&format!("posts/{id}/"));
    assert_eq!(unchanged["posts"][0]["status"], "draft");
}
