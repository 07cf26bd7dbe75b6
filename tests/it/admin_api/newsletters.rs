//! Tests of validation and defaults of newsletters (Ghost 6.65, observed).

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::{Value, json};

use super::failure;

fn add(site: &TestSite, parameters: &str, newsletter: &Value) -> HttpResponse {
    let body = json!({ "newsletters": [newsletter] });
    site.ask("POST", &format!("newsletters/{parameters}"), Some(&body))
}

#[test]
fn newsletter_names_are_trimmed_and_sender_and_image_validated() {
    let site = TestSite::staffed();
    let sent =
        json!({"name": " Tide ", "sender_name": "", "header_image": "/content/images/h.png"});

    let added = add(&site, "", &sent).json();

    let newsletter = &added["newsletters"][0];
    assert_eq!(newsletter["name"], "Tide");
    assert_eq!(newsletter["sender_name"], Value::Null);
    let image = newsletter["header_image"].as_str().unwrap();
    assert!(image.starts_with("http"), "{image}");
    assert!(image.ends_with("/content/images/h.png"), "{image}");
    let again = json!({ "newsletters": [newsletter] });
    let endpoint = format!("newsletters/{}/", newsletter["id"].as_str().unwrap());
    let again = site.ask("PUT", &endpoint, Some(&again)).json();
    assert_eq!(&again["newsletters"][0], newsletter);
}

#[test]
fn validation_error_names_no_field_except_for_a_duplicate_name() {
    let site = TestSite::staffed();
    assert_eq!(add(&site, "", &json!({"name": "Tide"})).status, 201);
    for (newsletter, property) in [
        (json!({"name": "A", "uuid": "x"}), Value::Null),
        (
            json!({"name": "A", "description": "d".repeat(2001)}),
            Value::Null,
        ),
        (json!({"name": "  "}), Value::Null),
        (json!({"name": "Tide "}), json!("name")),
    ] {
        let refused = failure(&add(&site, "", &newsletter));
        assert_eq!(refused, (422, "ValidationError".to_owned(), property));
    }
}

#[test]
fn subscribers_are_opted_into_a_new_newsletter_by_default() {
    let site = TestSite::staffed();
    for (number, (parameters, is_counted)) in [
        ("?opt_in_existing=true", true),
        ("?opt_in_existing=x", true),
        ("?opt_in_existing=false", false),
        ("", false),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("Number {number}");
        let added = add(&site, parameters, &json!({ "name": name })).json();
        let count = &added["meta"]["opted_in_member_count"];
        assert_eq!(count.is_number(), is_counted, "{parameters}");
    }
}
