//! Tests of features that Ghost's admin app offers and Galley lacks: requests are refused with a reason, which the app shows.

use galley_tests::TestSite;
use serde_json::{Value, json};

#[test]
fn requests_for_absent_features_are_refused_with_a_reason() {
    let site = TestSite::staffed();
    let id = "6b0740b9896a83d90300000d";
    // Longer than the limit of endpoints that expect no body.
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
fn resources_of_nonexistent_records_are_not_found() {
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
