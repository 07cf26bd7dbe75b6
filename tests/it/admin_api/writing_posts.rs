//! Tests of validation of posts and pages that clients write.

use galley_tests::{TestSite, test_site::filtered};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::first;
use crate::content_api::fixture;

fn add(app: &TestSite, query: &str, post: Value) -> (u16, Value) {
    let body = json!({"posts": [post]});
    let response = app.ask("POST", &format!("posts/?{query}"), Some(&body));
    (response.status, response.json())
}

#[test]
fn timestamp_needs_date_time_to_the_second_and_zone() {
    let app = fixture::site();
    for (written, status) in [
        ("2024-01-01T10:00:00Z", 201),
        ("2024-01-01T10:00:00.123Z", 201),
        ("2024-01-01 10:00:00Z", 201),
        ("2024-01-01t10:00:00z", 201),
        ("2024-01-01T10:00:00+02:00", 201),
        ("2024-01-01T10:00:00-0200", 201),
        ("2024-01-01", 422),
        ("2024-01-01T10:00Z", 422),
        ("2024-01-01T10Z", 422),
        ("20240101T100000Z", 422),
        ("2024-01-01T10:00:00", 422),
        ("2024-01-01T10:00:00Z[Europe/Berlin]", 422),
        ("+002024-01-01T10:00:00Z", 422),
        ("2024-01-01T10:00:00,5Z", 422),
        ("2024-01-01T10:00:00+02:00:30", 422),
        ("2024-13-01T10:00:00Z", 422),
        ("tomorrow", 422),
    ] {
        let post = json!({"title": "Dated", "published_at": written});
        let (responded, body) = add(&app, "", post);
        assert_eq!(responded, status, "{written}: {body}");
        if status == 422 {
            assert_eq!(body["errors"][0]["property"], "published_at", "{written}");
        }
    }
}

#[test]
fn tags_of_a_post_are_matched_only_by_identifying_fields() {
    let app = fixture::site();
    let tag =
        json!({"name": "Tides", "visibility": null, "canonical_url": "a b", "description": 5});
    let (status, body) = add(&app, "", json!({"title": "Tagged", "tags": [tag]}));
    assert_eq!(status, 201, "{body}");
    let tag = &first(&body, "posts")["tags"][0];
    assert_eq!(
        (&tag["name"], &tag["visibility"], &tag["description"]),
        (&json!("Tides"), &json!("public"), &Value::Null)
    );
    let (status, body) = add(
        &app,
        "",
        json!({"title": "Tagged", "tags": [{"name": null}]}),
    );
    assert_eq!(status, 422, "{body}");
}

#[test]
fn archived_newsletter_is_not_assigned_to_a_post() {
    let app = fixture::site();
    let over = json!({"newsletters": [{"name": "Over"}]});
    let added = app.ask("POST", "newsletters/", Some(&over)).json();
    let id = first(&added, "newsletters")["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let archived = json!({"newsletters": [{"status": "archived"}]});
    app.ask("PUT", &format!("newsletters/{id}/"), Some(&archived));

    let post = json!({"title": "News", "status": "published"});
    let (status, body) = add(&app, "newsletter=over", post);

    assert_eq!(status, 201, "{body}");
    assert_eq!(first(&body, "posts")["newsletter"], Value::Null);
}

#[test]
fn counts_are_included_for_supported_relations() {
    let app = fixture::site();
    let count = |include: &str| {
        let body = app.read(&format!("posts/slug/knots/?include={include}"));
        first(&body, "posts").get("count").cloned()
    };
    assert_eq!(count("count.nosuch"), None);
    let with_feedback = |field: &str| {
        let mut counts = json!({"positive_feedback": 0, "negative_feedback": 0});
        counts[field] = json!(0);
        Some(counts)
    };
    for (include, field) in [
        ("count.clicks,count.nosuch", "clicks"),
        ("count.conversions", "conversions"),
        ("count.negative_feedback", "positive_feedback"),
    ] {
        assert_eq!(count(include), with_feedback(field), "{include}");
    }
}

#[test]
fn unsupported_bulk_action_is_rejected() {
    let site = TestSite::staffed();
    for bulk in [
        json!({"action": "nosuch"}),
        json!({"action": "access"}),
        json!({"action": "access", "meta": {"visibility": "nosuch"}}),
        json!({"action": "access", "meta": {"visibility": "tiers"}}),
        json!({"action": "access", "meta": {"visibility": "tiers", "tiers": "x"}}),
        json!({"action": "addTag"}),
        json!({"action": "addTag", "meta": {"tags": "x"}}),
        json!({"action": "addTag", "meta": {"tags": ["x"]}}),
        json!({"action": "addTag", "meta": {"tags": [{}]}}),
        json!({"action": "addTag", "meta": {"tags": [{"name": 5}]}}),
    ] {
        let body = json!({"bulk": bulk});
        let response = site.ask("PUT", "posts/bulk/?filter=slug:nosuch", Some(&body));
        assert_eq!(response.status, 400, "{bulk}: {}", response.text());
        assert_eq!(
            response.json()["errors"][0]["type"],
            "IncorrectUsageError",
            "{bulk}"
        );
    }
}

/// Changes a post with `known` as its last known update date, and returns the response's status and body.
fn change(app: &TestSite, id: &str, known: &str, title: &str) -> (u16, Value) {
    let body = json!({"posts": [{"title": title, "updated_at": known}]});
    let response = app.ask("PUT", &format!("posts/{id}/"), Some(&body));
    (response.status, response.json())
}

fn update_date(body: &Value) -> String {
    first(body, "posts")["updated_at"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn changes_without_a_pause_collide_and_are_not_dated_ahead_of_the_clock() {
    const CHANGES: usize = 50;
    let app = fixture::site();
    let (_, added) = add(&app, "", json!({"title": "State 0"}));
    let id = first(&added, "posts")["id"].as_str().unwrap();
    let mut dates = vec![update_date(&added)];
    for number in 1..=CHANGES {
        let (status, body) = change(&app, id, &dates[number - 1], &format!("State {number}"));
        assert_eq!(status, 200, "{body}");
        let date = update_date(&body);
        assert!(
            date.parse::<Timestamp>().unwrap() <= Timestamp::now(),
            "{date}"
        );
        assert!(date > dates[number - 1], "{dates:?} {date}");
        dates.push(date);
    }

    for date in &dates[..CHANGES] {
        let (status, body) = change(&app, id, date, "Late");
        assert_eq!(status, 409, "{date}: {body}");
    }
}

#[test]
fn update_date_is_the_same_in_both_apis_and_usable_in_filters() {
    let app = fixture::site();
    let (_, added) = add(&app, "", json!({"title": "T", "status": "published"}));
    let id = first(&added, "posts")["id"].as_str().unwrap();
    let mut body = added.clone();
    let fraction_of = |body: &Value| update_date(body)[19..23].to_owned();
    // Repeat until two changes are within one second, so that the date of the second has a fraction.
    for number in 0.. {
        body = change(&app, id, &update_date(&body), &format!("T {number}")).1;
        if fraction_of(&body) != ".000" {
            break;
        }
    }
    let date = update_date(&body);

    let served = app.json(&format!("posts/{id}/?fields=updated_at"));
    let served = first(&served, "posts")["updated_at"].as_str().unwrap();
    assert_eq!(served.parse::<Timestamp>().unwrap(), date.parse().unwrap());
    assert_eq!(served[19..23], fraction_of(&body));
    for (condition, is_found) in [("", true), (">", false), (">=", true), ("<", false)] {
        let filter = filtered(
            "posts",
            &format!("id:'{id}'+updated_at:{condition}'{date}'"),
        );
        let found = app.read(&filter)["posts"].as_array().unwrap().len();
        assert_eq!(found == 1, is_found, "{filter}");
    }

    let known = date.replace(&fraction_of(&body), "");
    let (status, body) = change(&app, id, &known, "By a client of whole seconds");
    assert_eq!(status, 200, "{body}");
    let (status, body) = change(&app, id, &known.replace('Z', ".000Z"), "Late");
    assert_eq!(status, 409, "{body}");
}
