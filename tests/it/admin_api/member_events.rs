//! Tests of the member event log.

use galley_tests::{TestSite, staff::text};
use serde_json::{Value, json};
use url::form_urlencoded;

fn edit(site: &TestSite, id: &str, change: &Value) {
    let body = json!({ "members": [change] });
    let response = site.ask("PUT", &format!("members/{id}/"), Some(&body));
    assert_eq!(response.status, 200, "{}", response.text());
}

/// Returns the types of the events that match a filter.
fn kinds(site: &TestSite, filter: &str) -> Vec<String> {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    let listed = site.read(&format!("members/events/?filter={filter}"));
    let events = listed["events"].as_array().unwrap().iter();
    events
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn member_events_are_listed_newest_first_with_their_members() {
    let site = TestSite::staffed();
    let id = text(
        &site.add(
            "members",
            json!({"email": "ana@example.com", "name": "Ana"}),
        )["id"],
    );
    edit(&site, &id, &json!({"newsletters": []}));
    edit(&site, &id, &json!({"email": "ana@example.org"}));

    let listed = site.read("members/events/");

    let kinds: Vec<&Value> = listed["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["type"])
        .collect();
    let expected = [
        "email_change_event",
        "newsletter_event",
        "newsletter_event",
        "signup_event",
    ];
    assert_eq!(kinds, expected);
    let data = |number: usize| &listed["events"][number]["data"];
    assert_eq!(data(0)["from_email"], "ana@example.com");
    assert_eq!(data(0)["to_email"], "ana@example.org");
    assert_eq!(data(1)["subscribed"], false);
    assert_eq!(data(1)["newsletter"]["slug"], "default-newsletter");
    assert_eq!(data(2)["subscribed"], true);
    assert_eq!(data(3)["source"], "admin");
    assert_eq!(
        data(3)["attribution"]["referrer_source"],
        "Created manually"
    );
    assert_eq!(data(3)["member"]["email"], "ana@example.org");
    let pagination =
        json!({"limit": 10, "total": 4, "pages": 1, "page": null, "next": null, "prev": null});
    assert_eq!(listed["meta"]["pagination"], pagination);
}

#[test]
fn member_events_are_filtered_by_type_member_and_time_and_deleted_with_the_member() {
    let site = TestSite::staffed();
    let ana = text(&site.add("members", json!({"email": "ana@example.com"}))["id"]);
    site.add(
        "members",
        json!({"email": "ben@example.com", "newsletters": []}),
    );

    assert_eq!(kinds(&site, "type:signup_event").len(), 2);
    assert_eq!(
        kinds(&site, "type:-[signup_event,newsletter_event]").len(),
        0
    );
    let of_ana = format!("type:-[aggregated_click_event]+data.member_id:'{ana}'");
    assert_eq!(kinds(&site, &of_ana), ["newsletter_event", "signup_event"]);
    assert_eq!(
        kinds(&site, "data.created_at:<'2020-01-01 00:00:00'").len(),
        0
    );
    assert_eq!(
        kinds(&site, "data.created_at:>'2020-01-01 00:00:00'").len(),
        3
    );
    assert_eq!(
        kinds(&site, "data.post_id:'63b0000000000000000000ff'").len(),
        0
    );
    assert_eq!(
        site.ask("GET", "members/events/?filter=nonsense:1", None)
            .status,
        400
    );
    let first = site.read("members/events/?limit=1");
    assert_eq!(first["events"].as_array().unwrap().len(), 1);
    assert_eq!(first["meta"]["pagination"]["total"], 3);

    let deleted = site.ask("DELETE", &format!("members/{ana}/"), None);
    assert_eq!(deleted.status, 204, "{}", deleted.text());
    assert_eq!(kinds(&site, "type:-x"), ["signup_event"]);
}
