//! Tests of request bodies with no record or several (Ghost 6.65, observed).

use galley_tests::{Request, TestSite, Who, request::ADMIN};
use serde_json::{Value, json};

use super::failure;

/// An identifier that no record has.
const UNKNOWN_ID: &str = "63b0000000000000000000ff";

/// Resources whose envelopes are checked before the records in them.
const RESOURCES: [&str; 8] = [
    "members",
    "labels",
    "tiers",
    "offers",
    "snippets",
    "recommendations",
    "newsletters",
    "integrations",
];

/// Sends a body to the endpoint that adds records and to the one that changes a nonexistent record.
///
/// Returns the failure of each.
fn send(site: &TestSite, resource: &str, body: &Value) -> [(u16, String, Value); 2] {
    [
        ("POST", format!("{resource}/")),
        ("PUT", format!("{resource}/{UNKNOWN_ID}/")),
    ]
    .map(|(method, endpoint)| failure(&site.ask(method, &endpoint, Some(body))))
}

#[test]
fn request_without_a_record_is_rejected() {
    let site = TestSite::staffed();
    let expected = (400, "BadRequestError".to_owned(), Value::Null);
    for resource in RESOURCES {
        for body in [
            json!({}),
            json!([]),
            json!({ "nonsense": [{"name": "N"}] }),
            json!({ resource: [] }),
            json!({ resource: {} }),
            json!({ resource: [null] }),
            json!({ resource: [5] }),
            json!({ resource: [{}] }),
        ] {
            for responded in send(&site, resource, &body) {
                assert_eq!(responded, expected, "{resource}: {body}");
            }
        }
        let endpoint = format!("{ADMIN}/{resource}/");
        let undeclared = json!({ resource: [{"name": "N"}] }).to_string();
        for request in [
            Request::new("POST", &endpoint),
            Request::new("POST", &endpoint)
                .header("content-type", "text/plain")
                .bytes(undeclared),
        ] {
            let response = site.ask_as(&Who::session("Owner"), &request);
            assert_eq!(failure(&response), expected, "{resource}");
        }
    }
    let nothing = json!({"notifications": [{}]});
    let response = site.ask("POST", "notifications/", Some(&nothing));
    assert_eq!(failure(&response), expected);
}

#[test]
fn record_must_be_an_object() {
    let site = TestSite::staffed();
    let nameless = Value::Null;
    for (resource, status, kind, added, changed) in [
        ("members", 422, "ValidationError", &nameless, &json!("0")),
        ("tiers", 422, "ValidationError", &nameless, &json!("0")),
        (
            "recommendations",
            422,
            "ValidationError",
            &nameless,
            &nameless,
        ),
        ("labels", 422, "ValidationError", &json!("0"), &json!("0")),
        ("snippets", 422, "ValidationError", &json!("0"), &json!("0")),
        ("pages", 422, "ValidationError", &json!("0"), &json!("0")),
        ("offers", 400, "InvalidOfferName", &nameless, &nameless),
    ] {
        let expected = [added, changed].map(|property| (status, kind.to_owned(), property.clone()));
        assert_eq!(
            send(&site, resource, &json!({ resource: ["x"] })),
            expected,
            "{resource}"
        );
    }
}

#[test]
fn string_is_not_accepted_as_a_list() {
    let site = TestSite::staffed();
    for (resource, property) in [
        ("tiers", Value::Null),
        ("recommendations", Value::Null),
        ("integrations", Value::Null),
        ("labels", json!("labels")),
        ("snippets", json!("snippets")),
        ("pages", json!("pages")),
    ] {
        let body = json!({ resource: "x" });
        let response = site.ask("POST", &format!("{resource}/"), Some(&body));
        let expected = (422, "ValidationError".to_owned(), property);
        assert_eq!(failure(&response), expected, "{resource}");
    }
}

#[test]
fn settings_without_key_or_value_are_ignored_except_the_first() {
    let site = TestSite::staffed();
    let change = |entries: Value| {
        let body = json!({ "settings": entries });
        site.ask("PUT", "settings/", Some(&body))
    };
    for entries in [
        json!([]),
        json!([{}]),
        json!([null]),
        json!([5]),
        json!([[]]),
    ] {
        assert_eq!(failure(&change(entries.clone())).0, 400, "{entries}");
    }
    let response = change(json!([{"key": "title"}, {}, "x", {"value": "x"}]));
    assert_eq!(response.status, 200, "{}", response.text());
    let title = response.json()["settings"]
        .as_array()
        .and_then(|settings| settings.iter().find(|setting| setting["key"] == "title"))
        .map(|setting| setting["value"].clone());
    assert_ne!(
        title,
        Some(Value::Null),
        "a setting without a value was changed"
    );
}

#[test]
fn several_records_in_one_request_are_rejected() {
    let site = TestSite::staffed();
    let label = |name: &str| json!({ "name": name });
    let body = json!({ "labels": [label("A"), label("B")] });
    for (status, _, property) in send(&site, "labels", &body) {
        assert_eq!((status, property), (422, json!("labels")));
    }
}
