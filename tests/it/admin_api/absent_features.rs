//! Tests of features that Ghost's admin app offers and Galley does not have: refused, with the reason that the app shows.

use galley_tests::TestSite;
use serde_json::{Value, json};

#[test]
fn what_only_an_absent_feature_could_do_is_refused_with_a_reason() {
    let site = TestSite::staffed();
    let id = "6b0740b9896a83d90300000d";
    // Longer than the body of a request for which the endpoint expects none.
    let body = json!({"automated_emails": [{"lexical": "x".repeat(20_000)}]});
    for (method, path) in [
        ("POST", "automated_emails/"),
        ("PUT", "automated_emails/design/"),
        ("PUT", &*format!("automations/{id}/")),
        ("PUT", "automated_emails/senders/"),
        ("POST", "comments/"),
        ("POST", &*format!("members/{id}/commenting/disable/")),
        ("POST", &*format!("members/{id}/commenting/enable/")),
        ("GET", "members/stripe_connect/"),
        ("PUT", &*format!("posts/{id}/gift_links/")),
        ("POST", &*format!("pages/{id}/gift_links/")),
        ("PUT", "gift_links/remove_all/"),
        ("POST", "exports/"),
        ("PUT", &*format!("tiers/{id}/checkout_config/")),
    ] {
        let response = site.ask(method, path, Some(&body));
        assert_eq!(response.status, 400, "{path}: {}", response.text());
        let message = response.json()["errors"][0]["message"].clone();
        let Value::String(message) = message else {
            panic!("{path}: {message}");
        };
        assert!(message.starts_with("Galley "), "{path}: {message}");
    }
}

#[test]
fn what_belongs_to_an_absent_record_is_not_found() {
    let site = TestSite::staffed();
    for (method, path) in [
        ("POST", "automated_emails/6b0740b9896a83d90300000d/preview/"),
        ("POST", "automated_emails/6b0740b9896a83d90300000d/test/"),
        (
            "POST",
            "automations/6b0740b9896a83d90300000d/email_preview/",
        ),
        ("POST", "automations/6b0740b9896a83d90300000d/email_test/"),
        (
            "GET",
            "automations/6b0740b9896a83d90300000d/actions/6b0740b9896a83d90300000e/links/",
        ),
        ("GET", "emails/6b0740b9896a83d90300000d/status/"),
    ] {
        let response = site.ask(method, path, None);
        let error = &response.json()["errors"][0];
        assert_eq!(
            (response.status, &error["type"]),
            (404, &json!("NotFoundError")),
            "{path}"
        );
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.contains("endpoint"), "{path}: {message}");
    }
}
