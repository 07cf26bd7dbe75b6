//! Tests of what Ghost's admin app offers and Galley does not have: refused, with the reason that the app shows.

use serde_json::{Value, json};

use super::owner::{ask, site};

#[test]
fn what_only_an_absent_feature_could_do_is_refused_with_a_reason() {
    let site = site();
    let id = "6b0740b9896a83d90300000d";
    // Longer than what a request without a body would send.
    let body = json!({"automated_emails": [{"lexical": "x".repeat(20_000)}]});
    for (method, path) in [
        ("POST", "automated_emails/"),
        ("PUT", "automated_emails/design/"),
        ("PUT", &*format!("automations/{id}/")),
        ("PUT", "gift_links/remove_all/"),
        ("PUT", &*format!("tiers/{id}/checkout_config/")),
        ("POST", "themes/install/?source=github&ref=TryGhost/Casper"),
    ] {
        let response = ask(&site, method, path, Some(&body));
        assert_eq!(response.status, 400, "{path}: {}", response.text());
        let message = response.json()["errors"][0]["message"].clone();
        let Value::String(message) = message else {
            panic!("{path}: {message}");
        };
        assert!(message.starts_with("Galley "), "{path}: {message}");
    }
}
