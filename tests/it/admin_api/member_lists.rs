//! Tests of member lists: filters, searches, orders, pages.

use galley_tests::TestSite;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::failure;

/// Returns a site with Ana, Ben and Cleo, who differ in all fields that filters can use.
fn members() -> TestSite {
    let site = TestSite::staffed();
    for member in [
        json!({"email": "Ana@Example.com", "name": "Ana Jörg", "labels": ["Friends", "Early"]}),
        json!({"email": "ben@example.com", "name": "Ben", "note": "Met at a fair", "subscribed": false}),
        json!({"email": "cleo@example.org", "labels": ["Early"], "tiers": [{"slug": "default-product"}]}),
    ] {
        site.add("members", member);
    }
    site
}

/// Returns the first letters of the listed members' e-mail addresses, in the order of the list.
fn initials(site: &TestSite, parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(parameters)
        .finish();
    let listed = site.read(&format!("members/?{query}"));
    let members = listed["members"].as_array().unwrap();
    let initial = |member: &Value| member["email"].as_str().unwrap()[..1].to_lowercase();
    members.iter().map(initial).collect()
}

#[test]
fn members_are_filtered_by_columns_labels_tiers_and_newsletters() {
    let site = members();
    for (filter, expected) in [
        ("status:free", "ab"),
        ("status:-free", "c"),
        ("status:[comped,paid]", "c"),
        ("label:early", "ac"),
        ("labels:early", "ac"),
        ("label:-early", "b"),
        ("label:[friends,nosuch]", "a"),
        ("label:early+label:friends", "a"),
        ("labels.name:Friends", "a"),
        ("label:early+status:comped", "c"),
        ("(label:friends,status:comped)", "ac"),
        ("tier:default-product", "c"),
        ("tiers:-default-product", "ab"),
        ("products.slug:default-product", "c"),
        ("newsletters.status:active", "ac"),
        ("newsletters:default-newsletter", "ac"),
        ("newsletters.slug:-default-newsletter", "b"),
        ("subscribed:true", "ac"),
        ("subscribed:false", "b"),
        ("subscribed:-true", "b"),
        ("subscribed:[true,false]", "abc"),
        ("subscribed:true+email_disabled:0", "ac"),
        ("email_disabled:1", ""),
        ("email:ben@example.com", "b"),
        ("email:'ana@example.com'", "a"),
        ("email:'ÁNA@example.com'", "a"),
        ("status:FREE+label:Early", "a"),
        (
            "email:[ben@example.com,cleo@example.org,ben@example.com]",
            "bc",
        ),
        ("email:[ben@example.com,cleo@example.org]+status:free", "b"),
        ("email:ben@example.com,status:comped", "bc"),
        ("email:~'EXAMPLE.COM'", "ab"),
        ("email:~^'c'", "c"),
        ("members.email:~$'.org'", "c"),
        ("name:null", "c"),
        ("name:-null", "ab"),
        ("name:~'jörg'", "a"),
        ("name:~'JORG'", "a"),
        ("note:~'fair'", "b"),
        ("last_seen_at:null", "abc"),
        ("last_seen_at:<'2030-01-01'", ""),
        ("created_at:>'2020-01-01'", "abc"),
        ("created_at:<=now-30d", ""),
        ("email_count:0", "abc"),
        ("email_open_rate:>50", ""),
        ("subscriptions.status:active", ""),
        ("subscriptions.plan_interval:-month", "abc"),
        ("opened_emails.post_id:x", ""),
        ("offer_redemptions:x", ""),
        ("signup:x,status:comped", "c"),
    ] {
        let found = initials(&site, &[("filter", filter), ("order", "email asc")]);
        assert_eq!(found, expected, "{filter}");
    }
    let tier = site.read("tiers/")["tiers"][1]["id"].clone();
    let filter = format!("tier_id:[{}]", tier.as_str().unwrap());
    assert_eq!(initials(&site, &[("filter", &filter)]), "c");
    for filter in ["nosuch:x", "comped:true", "labels.nosuch:x", "status:"] {
        let response = site.ask("GET", &format!("members/?filter={filter}"), None);
        assert_eq!(failure(&response).0, 400, "{filter}");
    }
}

#[test]
fn search_matches_names_and_addresses_ignoring_case() {
    let site = members();
    for (search, expected) in [
        ("ANA@", "a"),
        ("JÖRG", "a"),
        ("jorg", "a"),
        ("example.com", "ba"),
        ("e", "cba"),
        ("ben example", ""),
        ("ben%", ""),
        ("fair", ""),
        ("", "cba"),
    ] {
        assert_eq!(initials(&site, &[("search", search)]), expected, "{search}");
    }
    let both = [
        ("search", "EXAMPLE"),
        ("filter", "label:early"),
        ("limit", "1"),
    ];
    assert_eq!(initials(&site, &both), "c");
    let second = [both[0], both[1], both[2], ("page", "2")];
    assert_eq!(initials(&site, &second), "a");
}

#[test]
fn members_are_listed_newest_first_by_default() {
    let site = members();
    for (order, expected) in [
        ("created_at desc", "cba"),
        ("created_at asc", "abc"),
        ("email desc", "cba"),
        ("name asc", "cab"),
        ("status asc,email desc", "cba"),
        ("status desc,email asc", "abc"),
        ("last_seen_at desc", "abc"),
        ("nosuch asc", "cba"),
    ] {
        assert_eq!(initials(&site, &[("order", order)]), expected, "{order}");
        for page in 1..=3 {
            let (limit, page_number) = ([("order", order), ("limit", "1")], page.to_string());
            let window = initials(&site, &[limit[0], limit[1], ("page", &page_number)]);
            assert_eq!(window, expected[page - 1..page], "{order}, page {page}");
        }
    }
    assert_eq!(initials(&site, &[]), "cba");
    assert_eq!(initials(&site, &[("page", "9")]), "");
}

#[test]
fn fields_keep_default_relations_and_include_adds_to_them() {
    let site = members();
    let narrow = site.read("members/?fields=email,uuid&filter=status:comped");
    let member = &narrow["members"][0];
    assert_eq!(member["email"], "cleo@example.org");
    assert_eq!(member["subscribed"], false);
    assert!(
        member["unsubscribe_url"]
            .as_str()
            .unwrap()
            .contains("&key=")
    );
    for name in ["id", "labels", "newsletters", "tiers", "attribution"] {
        assert!(member.get(name).is_none(), "{name}");
    }
    let wide = site.read("members/?include=tiers,email_recipients&filter=status:comped");
    let member = &wide["members"][0];
    assert_eq!(member["tiers"][0]["slug"], "default-product");
    assert_eq!(member["labels"][0]["name"], "Early");
    assert_eq!(member["email_recipients"], json!([]));
    assert!(member.get("attribution").is_none());
}

#[test]
fn unknown_include_returns_default_labels_and_newsletters() {
    let site = members();
    let cleo = |fields: &str| {
        let endpoint = format!("members/?filter=status:comped&fields={fields}");
        site.read(&endpoint)["members"][0].clone()
    };
    for fields in ["id", "id,email", "id,subscribed"] {
        let member = cleo(fields);
        assert_eq!(member["subscribed"], true, "{fields}");
        assert_eq!(member["labels"][0]["name"], "Early", "{fields}");
        assert_eq!(member["newsletters"].as_array().unwrap().len(), 1);
        assert!(member.get("name").is_none(), "{fields}");
    }
    for (fields, is_comped) in [("email", false), ("email,status", true), ("status", true)] {
        assert_eq!(cleo(fields)["comped"], is_comped, "{fields}");
    }
    assert_eq!(cleo("bogus"), cleo(""));
    assert_eq!(cleo("bogus")["email"], "cleo@example.org");
}
