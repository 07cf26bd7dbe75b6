//! Requests that hold no record, or not one (Ghost 6.65, observed).

use serde_json::{Value, json};

use super::owner::{ask, failure, site};
use crate::staffed_site::{ADMIN, Ask, StaffedSite, Who};

/// An identifier that nothing has.
const NOBODY: &str = "63b0000000000000000000ff";

/// Whose envelopes are looked at before what is in them.
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

/// Sends a body to where records are added, and to where one is changed that there is not.
fn send(site: &StaffedSite, resource: &str, body: &Value) -> [(u16, String, Value); 2] {
    [
        ("POST", format!("{resource}/")),
        ("PUT", format!("{resource}/{NOBODY}/")),
    ]
    .map(|(method, endpoint)| failure(&ask(site, method, &endpoint, Some(body))))
}

#[test]
fn a_request_without_a_record_is_wrong_as_a_whole() {
    let site = site();
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
            for answered in send(&site, resource, &body) {
                assert_eq!(answered, expected, "{resource}: {body}");
            }
        }
        let endpoint = format!("{ADMIN}/{resource}/");
        let undeclared = json!({ resource: [{"name": "N"}] }).to_string();
        for request in [
            Ask::new("POST", &endpoint),
            Ask::new("POST", &endpoint)
                .header("content-type", "text/plain")
                .bytes(undeclared),
        ] {
            let answer = site.send(&Who::session("Owner"), &request);
            assert_eq!(failure(&answer), expected, "{resource}");
        }
    }
    let nothing = json!({"notifications": [{}]});
    let answer = ask(&site, "POST", "notifications/", Some(&nothing));
    assert_eq!(failure(&answer), expected);
}

#[test]
fn what_is_no_object_is_no_record() {
    let site = site();
    for (resource, status, kind, property) in [
        ("members", 422, "ValidationError", Value::Null),
        ("tiers", 422, "ValidationError", Value::Null),
        ("recommendations", 422, "ValidationError", Value::Null),
        ("labels", 422, "ValidationError", json!("0")),
        ("snippets", 422, "ValidationError", json!("0")),
        ("offers", 400, "InvalidOfferName", Value::Null),
    ] {
        let body = json!({ resource: ["x"] });
        for answered in send(&site, resource, &body) {
            let expected = (status, kind.to_owned(), property.clone());
            assert_eq!(answered, expected, "{resource}");
        }
    }
}

#[test]
fn of_several_records_none_is_taken() {
    let site = site();
    let label = |name: &str| json!({ "name": name });
    let body = json!({ "labels": [label("A"), label("B")] });
    for (status, _, property) in send(&site, "labels", &body) {
        assert_eq!((status, property), (422, json!("labels")));
    }
}
