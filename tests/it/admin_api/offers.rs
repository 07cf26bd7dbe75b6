//! Tests of validation of offers (Ghost 6.65, observed).

use galley_tests::TestSite;
use serde_json::{Value, json};

/// Adds an offer of twelve percent off a year, with its fields overridden by `fields`.
fn add(site: &TestSite, fields: Value) -> (u16, Value) {
    let tier = site.read("tiers/")["tiers"][1]["id"].clone();
    let mut offer = json!({
        "name": "Sale", "code": "sale", "type": "percent", "cadence": "year", "amount": 12,
        "duration": "once", "tier": {"id": tier},
    });
    for (name, value) in fields.as_object().unwrap() {
        offer[name] = value.clone();
    }
    let response = site.ask("POST", "offers/", Some(&json!({ "offers": [offer] })));
    (response.status, response.json())
}

#[test]
fn each_invalid_field_has_its_own_error() {
    let site = TestSite::staffed();
    let long = "n".repeat(192);
    for (fields, kind) in [
        (json!({"name": "n".repeat(41)}), "InvalidOfferName"),
        (json!({"name": "  "}), "InvalidOfferName"),
        (json!({"name": 5}), "InvalidOfferName"),
        (json!({"code": ""}), "InvalidOfferCode"),
        (json!({ "code": long }), "InvalidOfferCode"),
        (json!({ "display_title": long }), "InvalidOfferTitle"),
        (
            json!({ "display_description": long }),
            "InvalidOfferDescription",
        ),
        (
            json!({"redemption_type": "x"}),
            "InvalidOfferRedemptionType",
        ),
        (json!({"duration": "x"}), "InvalidOfferDuration"),
    ] {
        let (status, body) = add(&site, fields.clone());
        assert_eq!(
            (status, &body["errors"][0]["type"]),
            (400, &json!(kind)),
            "{fields}"
        );
    }
    let yearly = json!({"duration": "repeating", "duration_in_months": 3});
    let (status, body) = add(&site, yearly);
    let error = &body["errors"][0];
    assert_eq!(status, 400);
    assert_eq!(error["type"], "InvalidOfferDuration");
    assert_eq!(error["code"], "INVALID_YEARLY_DURATION");
}

#[test]
fn zero_trial_days_and_percent_for_a_trial_are_accepted() {
    let site = TestSite::staffed();
    let trial = json!({"type": "trial", "amount": 0, "duration": "trial"});
    assert_eq!(add(&site, trial).0, 200);
    let percent = json!({"name": "Other", "code": "other", "duration": "trial"});
    assert_eq!(add(&site, percent).0, 200);
}

#[test]
fn names_are_trimmed_and_missing_texts_are_empty() {
    let site = TestSite::staffed();
    let (_, added) = add(&site, json!({"name": " Sale ", "display_title": null}));
    let offer = &added["offers"][0];
    assert_eq!(offer["name"], "Sale");
    assert_eq!(offer["display_title"], "");
    assert_eq!(offer["display_description"], "");
    let id = offer["id"].as_str().unwrap();
    let public = site.json(&format!("offers/{id}/"));
    assert_eq!(public["offers"][0]["display_title"], "");
}

#[test]
fn offers_are_filtered_by_status_only() {
    let site = TestSite::staffed();
    add(&site, json!({}));
    for (filter, found) in [
        ("status:active", 1),
        ("status:archived", 0),
        ("bogus:1", 1),
        ("amount:5", 1),
        ("status:archived%2Bbogus:1", 0),
    ] {
        let listed = site.read(&format!("offers/?filter={filter}"));
        assert_eq!(
            listed["offers"].as_array().unwrap().len(),
            found,
            "{filter}"
        );
    }
}
