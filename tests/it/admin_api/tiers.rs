//! Tests of defaults and validation of tiers (Ghost 6.65, observed).

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::{Value, json};

use super::failure;

/// Adds a paid tier named Gold, with its fields overridden by `fields`.
fn add(site: &TestSite, fields: &Value) -> HttpResponse {
    let mut tier = json!({"name": "Gold", "monthly_price": 500, "currency": "usd"});
    for (name, value) in fields.as_object().unwrap() {
        tier[name] = value.clone();
    }
    site.ask("POST", "tiers/", Some(&json!({ "tiers": [tier] })))
}

fn change(site: &TestSite, tier: &Value, change: &Value) -> HttpResponse {
    let endpoint = format!("tiers/{}/", tier["id"].as_str().unwrap());
    site.ask("PUT", &endpoint, Some(&json!({ "tiers": [change] })))
}

#[test]
fn new_tier_is_active_with_the_given_slug() {
    let site = TestSite::staffed();
    for (fields, slug) in [
        (json!({"slug": "My Slug"}), "my-slug"),
        (json!({"slug": "my-slug"}), "my-slug-2"),
        (json!({"slug": ""}), "gold"),
        (json!({"active": false, "currency": "xx1"}), "gold-2"),
    ] {
        let added = add(&site, &fields).json();
        let tier = &added["tiers"][0];
        assert_eq!(
            (&tier["slug"], &tier["active"]),
            (&json!(slug), &json!(true)),
            "{fields}"
        );
    }
}

#[test]
fn missing_price_gets_the_default() {
    let site = TestSite::staffed();
    for (fields, prices) in [
        (json!({"monthly_price": null}), (500, 5000)),
        (json!({"monthly_price": 0}), (500, 5000)),
        (json!({"monthly_price": 700}), (700, 5000)),
        (
            json!({"monthly_price": null, "yearly_price": 900}),
            (500, 900),
        ),
    ] {
        let added = add(&site, &fields).json();
        let tier = &added["tiers"][0];
        assert_eq!(
            (&tier["monthly_price"], &tier["yearly_price"]),
            (&json!(prices.0), &json!(prices.1)),
            "{fields}"
        );
    }
}

#[test]
fn invalid_number_is_reported_with_the_field_name() {
    let site = TestSite::staffed();
    for (fields, property) in [
        (json!({"monthly_price": "5"}), json!("monthly_price")),
        (json!({"trial_days": "x"}), json!("trial_days")),
        (json!({"monthly_price": 10_000_000_000_u64}), Value::Null),
        (json!({"yearly_price": -1}), Value::Null),
        (json!({"currency": "nonsense"}), Value::Null),
        (json!({"benefits": [""]}), json!("benefits")),
        (json!({"benefits": ["Letters", " "]}), json!("benefits")),
        (json!({"benefits": ["Letters", null]}), json!("1")),
    ] {
        let (status, _, named) = failure(&add(&site, &fields));
        assert_eq!((status, named), (422, property), "{fields}");
    }
    assert_eq!(
        add(&site, &json!({"monthly_price": 9_999_999_999_u64})).status,
        201
    );
}

#[test]
fn null_removes_the_trial() {
    let site = TestSite::staffed();
    let added = add(&site, &json!({"trial_days": 7})).json();
    let tier = &added["tiers"][0];
    assert_eq!(tier["trial_days"], 7);
    let changed = change(&site, tier, &json!({"trial_days": null})).json();
    assert_eq!(changed["tiers"][0]["trial_days"], 0);
}

#[test]
fn free_tier_has_no_currency_and_no_trial() {
    let site = TestSite::staffed();
    let free = &site.read("tiers/")["tiers"][0];
    for fields in [json!({"currency": "usd"}), json!({"trial_days": 7})] {
        assert_eq!(change(&site, free, &fields).status, 422, "{fields}");
    }
    assert_eq!(change(&site, free, free).status, 200);
}
