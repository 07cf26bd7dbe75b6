//! Tests of imported settings, tiers and newsletters.

use galley::{
    domain::{
        member::{Member, TierGrant},
        newsletter,
        tier::Tier,
    },
    id::Id,
};
use serde_json::json;

use super::destination::{Destination, export_path, notes_about, slugs};

#[test]
fn settings_are_converted_by_type() {
    let (site, report) = Destination::with("ghost-4.json");
    let settings = &site.get("settings/")["settings"];
    for (key, value) in [
        ("title", json!("Harbour Notes")),
        ("description", json!(null)),
        ("lang", json!("pt")),
        ("timezone", json!("Europe/Lisbon")),
        (
            "logo",
            json!("https://harbour.example/content/images/2021/01/logo.png"),
        ),
        ("portal_button", json!(true)),
        ("portal_plans", json!(["free", "monthly"])),
        (
            "navigation",
            json!([{"label": "Home", "url": "/"}, {"label": "Tides", "url": "/tag/tides/"}]),
        ),
        ("members_signup_access", json!("all")),
        ("outbound_link_tagging", json!(true)),
    ] {
        assert_eq!(settings[key], value, "{key}");
    }
    assert_eq!(
        notes_about(&report, "members_signup_access"),
        ["its value is not one of all, invite, paid, none"]
    );
    assert_eq!(
        notes_about(&report, "settings that Galley does not have"),
        ["slack_username"]
    );
    assert_eq!(notes_about(&report, "secrets").len(), 1);
    let logo = site.site.current().catalog.settings.text("logo");
    assert_eq!(
        logo.as_deref(),
        Some("__GHOST_URL__/content/images/2021/01/logo.png")
    );
}

#[test]
fn outbound_link_tagging_is_enabled_unless_the_file_disables_it() {
    let (site, _) = Destination::with("ghost-5.json");
    assert_eq!(
        site.get("settings/")["settings"]["outbound_link_tagging"],
        false
    );
    assert_eq!(
        site.post("written-in-lexical")["html"],
        "<p>See <a href=\"https://harbour.example/written-before/\">the one before</a> &amp; \
         <a href=\"https://elsewhere.example/\">elsewhere</a></p>"
    );
}

#[test]
fn imported_tiers_replace_the_default_ones() {
    let (site, _) = Destination::with("ghost-4.json");
    let tiers = site.get("tiers/?include=monthly_price,yearly_price,benefits");
    assert_eq!(slugs(&tiers["tiers"]), ["free", "gold-tier"]);
    let gold = &tiers["tiers"][1];
    // Exports of Ghost 4 contain the prices only in the tables of the payment provider.
    assert_eq!(gold["monthly_price"], 700);
    assert_eq!(gold["yearly_price"], 7000);
    assert_eq!(gold["currency"], "eur");
    assert_eq!(gold["benefits"], json!(["A letter by post", "Our thanks"]));
    assert_eq!(gold["id"], "61a0000000000000000001f6");

    let (site, _) = Destination::with("ghost-5.json");
    let snapshot = site.site.current();
    let mut slugs: Vec<&str> = snapshot
        .catalog
        .tiers
        .iter()
        .map(|tier| &*tier.slug)
        .collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["free", "gold", "silver"]);
    let gold = snapshot.catalog.tiers.by_slug("gold").unwrap();
    assert_eq!(
        (gold.trial_days, gold.welcome_page_url.as_deref()),
        (7, Some("/welcome/"))
    );
    assert!(!snapshot.catalog.tiers.by_slug("silver").unwrap().active);
}

#[test]
fn posts_for_specific_tiers_stay_gated() {
    let (site, report) = Destination::with("ghost-5.json");
    let post = site.post("gold-only");
    assert_eq!(
        (&post["visibility"], &post["html"]),
        (&json!("tiers"), &json!(""))
    );
    assert_eq!(slugs(&post["tiers"]), ["gold"]);
    assert!(notes_about(&report, "gold-only").is_empty());

    // Ghost 4 exports the tiers as a filter.
    let (site, report) = Destination::with("ghost-4.json");
    let post = site.post("for-the-crew");
    assert_eq!(
        (&post["visibility"], &post["html"]),
        (&json!("tiers"), &json!(""))
    );
    assert_eq!(slugs(&post["tiers"]), ["gold-tier"]);
    assert_eq!(
        notes_about(&report, "for-the-crew"),
        ["was visible to \"product:gold-tier\"; here it is visible to one tier"]
    );
}

#[test]
fn newsletters_are_imported_and_archived_ones_not_served() {
    let (site, report) = Destination::with("ghost-5.json");
    let newsletters = site.get("newsletters/");
    assert_eq!(slugs(&newsletters["newsletters"]), ["weekly"]);
    assert_eq!(
        newsletters["newsletters"][0]["uuid"],
        "0a1b2c3d-0000-4000-8000-000000000701"
    );
    let catalog = &site.site.current().catalog;
    assert_eq!(catalog.newsletters.len(), 2);
    let weekly = catalog.newsletters.by_slug("weekly").unwrap();
    assert_eq!(weekly.design.get("sender_name"), Some(&json!("Harbour")));
    assert!(notes_about(&report, "columns of the table newsletters").is_empty());
}

#[test]
fn default_tier_and_newsletter_of_a_member_are_not_replaced() {
    let site = Destination::new();
    let tier = Tier::default_paid("").id;
    let newsletter = Id::derive("newsletter", newsletter::DEFAULT_SLUG);
    let now = "2026-01-02T03:04:05Z".parse().unwrap();
    let member = Member {
        newsletters: vec![newsletter],
        tiers: vec![TierGrant {
            tier,
            expires_at: None,
        }],
        ..Member::new(Id::derive("member", "ana"), "ana@example.com", now)
    };
    site.site
        .write_once(|transaction| transaction.save_member(member))
        .unwrap();

    site.import(&export_path("ghost-5.json"));

    let catalog = &site.site.current().catalog;
    assert!(catalog.tiers.get(tier).is_some());
    assert!(catalog.tiers.by_slug("gold").is_some());
    assert!(catalog.newsletters.get(newsletter).is_some());
    assert!(catalog.newsletters.by_slug("weekly").is_some());
}

#[test]
fn posts_for_default_tiers_keep_those_tiers() {
    let site = Destination::new();
    let report = site.import_json(&json!({"data": {
        "settings": [
            {"key": "default_content_visibility", "value": "tiers"},
            {"key": "default_content_visibility_tiers", "value": "[\"7\",\"8\"]"},
        ],
        "products": [{"id": "7", "name": "Gold", "slug": "gold", "type": "paid"}],
        "posts": [{"title": "Closed", "status": "published", "visibility": null, "html": "<p>x</p>"}],
    }}));
    let post = site.post("closed");
    assert_eq!(post["visibility"], "tiers");
    assert_eq!(post["tiers"][0]["slug"], "gold");
    assert_eq!(
        notes_about(&report, "default_content_visibility_tiers").len(),
        1
    );
}

#[test]
fn posts_with_an_unknown_default_visibility_stay_gated() {
    let site = Destination::new();
    let report = site.import_json(&json!({"data": {
        "settings": [{"key": "default_content_visibility", "value": "friends"}],
        "posts": [{"title": "Closed", "status": "published", "visibility": null, "html": "<p>x</p>"}],
    }}));
    assert_eq!(site.post("closed")["visibility"], "paid");
    assert_eq!(notes_about(&report, "default_content_visibility").len(), 1);
}
