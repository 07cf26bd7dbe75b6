//! Tests that members are added, edited and deleted, one at a time and in bulk.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::failure;

fn edit(site: &TestSite, member: &Value, change: Value) -> Value {
    let response = site.ask("PUT", &path(member), Some(&json!({ "members": [change] })));
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["members"][0].clone()
}

fn path(member: &Value) -> String {
    format!("members/{}/", member["id"].as_str().unwrap())
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|record| record["name"].as_str().unwrap())
        .collect()
}

#[test]
fn sending_back_an_unchanged_member_changes_nothing() {
    let site = TestSite::staffed();
    let ana = site.add("members", json!({"email": "ana@example.com", "labels": ["A", "B"], "tiers": [{"slug": "default-product", "expiry_at": "2100-01-01T00:00:00.000Z"}]}),
    );
    let before = site.read("actions/?limit=1");

    let after = edit(&site, &ana, ana.clone());

    assert_eq!(after, ana);
    assert_eq!(site.read("actions/?limit=1"), before);
}

#[test]
fn labels_are_matched_by_name_ignoring_case_or_created() {
    let site = TestSite::staffed();
    let ana = site.add("members", json!({"email": "a@example.com", "labels": ["Known", {"name": "New", "slug": "brand new"}, "NEW", " "]}),
    );
    assert_eq!(names(&ana["labels"]), ["Known", "New"]);
    assert_eq!(ana["labels"][1]["slug"], "brand-new");
    let id = &ana["labels"][0]["id"];

    let ben = site.add("members", json!({"email": "b@example.com", "labels": [{"name": "known"}, {"id": id, "name": "Known"}]}),
    );
    assert_eq!(names(&ben["labels"]), ["Known"]);
    let none = edit(&site, &ben, json!({"labels": [{"id": id}]}));
    assert_eq!(none["labels"], json!([]));
    assert_eq!(site.read("labels/")["meta"]["pagination"]["total"], 2);
}

#[test]
fn newsletters_take_precedence_over_the_subscribed_flag() {
    let site = TestSite::staffed();
    let newsletter = site.read("newsletters/")["newsletters"][0].clone();
    let (id, name) = (&newsletter["id"], &newsletter["name"]);
    let ana = site.add(
        "members",
        json!({"email": "a@example.com", "subscribed": false, "newsletters": [{"id": id}]}),
    );
    assert_eq!(ana["subscribed"], true);
    for (change, subscribed) in [
        (json!({"newsletters": []}), false),
        (json!({"subscribed": true}), true),
        (json!({"subscribed": true, "newsletters": []}), false),
        (json!({"newsletters": [{"name": name}]}), true),
        (json!({"name": "Ana"}), true),
        (json!({"subscribed": false}), false),
    ] {
        let changed = edit(&site, &ana, change.clone());
        assert_eq!(changed["subscribed"], subscribed, "{change}");
    }
    for newsletters in [
        json!([{"id": "63b0000000000000000000ff"}]),
        json!([{}]),
        json!([7]),
    ] {
        let body = json!({"members": [{"newsletters": newsletters}]});
        assert_eq!(
            site.ask("PUT", &path(&ana), Some(&body)).status,
            422,
            "{body}"
        );
    }
}

#[test]
fn member_with_a_tier_is_comped_and_one_without_is_free() {
    let site = TestSite::staffed();
    let ana = site.add(
        "members",
        json!({"email": "a@example.com", "tiers": [{"slug": "default-product"}]}),
    );
    assert_eq!(
        (&ana["status"], &ana["comped"]),
        (&json!("comped"), &json!(true))
    );
    let plan = &ana["subscriptions"][0];
    assert_eq!(
        (&plan["plan"]["amount"], &plan["status"]),
        (&json!(0), &json!("active"))
    );
    assert_eq!(plan["tier"]["expiry_at"], Value::Null);
    let tier = ana["tiers"][0]["id"].clone();

    let timed = edit(
        &site,
        &ana,
        json!({"tiers": [{"id": tier, "expiry_at": "2100-01-01T00:00:00.000Z"}]}),
    );
    assert_eq!(timed["tiers"][0]["expiry_at"], "2100-01-01T00:00:00.000Z");
    assert_eq!(
        timed["subscriptions"][0]["current_period_end"],
        "2100-01-01T00:00:00.000Z"
    );
    let without_end = edit(&site, &ana, json!({"tiers": [{"id": tier}]}));
    assert_eq!(without_end["tiers"][0]["expiry_at"], Value::Null);
    let without_tier = edit(&site, &ana, json!({"tiers": []}));
    assert_eq!(
        (&without_tier["status"], &without_tier["subscriptions"]),
        (&json!("free"), &json!([]))
    );

    let ben = site.add("members", json!({"email": "b@example.com"}));
    let with_tier = edit(&site, &ben, json!({"tiers": [{"id": tier}]}));
    assert_eq!(
        (&with_tier["status"], &with_tier["comped"]),
        (&json!("comped"), &json!(true))
    );
    assert_eq!(with_tier["subscriptions"][0]["tier"]["id"], tier);
    assert_eq!(with_tier["tiers"][0]["id"], tier);
    for tiers in [
        json!([{"id": "63b0000000000000000000ff"}]),
        json!([{"id": tier, "expiry_at": "soon"}]),
        json!(["default-product"]),
    ] {
        let body = json!({"members": [{"tiers": tiers}]});
        assert_eq!(
            site.ask("PUT", &path(&ana), Some(&body)).status,
            422,
            "{body}"
        );
    }
}

#[test]
fn products_is_an_older_name_of_tiers() {
    let site = TestSite::staffed();
    let products = json!([{"slug": "default-product"}]);
    let ana = site.add(
        "members",
        json!({"email": "ana@example.com", "products": products}),
    );
    assert_eq!(ana["status"], "comped");
    assert_eq!(names(&ana["tiers"]), ["Reference"]);

    let ben = site.add("members", json!({"email": "ben@example.com"}));
    let ben = edit(&site, &ben, json!({"products": ana["tiers"]}));
    assert_eq!(ben["status"], "comped");
    assert_eq!(edit(&site, &ben, json!({"products": []}))["status"], "free");

    let both = json!({"members": [{"email": "c@example.com", "tiers": [], "products": products}]});
    let response = site.ask("POST", "members/", Some(&both));
    assert_eq!(response.json()["members"][0]["status"], "free");
    assert_eq!(response.header("galley-ignored-fields"), Some("products"));
    for wrong in [json!(null), json!("default-product"), json!([1])] {
        let body = json!({"members": [{"email": "d@example.com", "products": wrong}]});
        assert_eq!(
            site.ask("POST", "members/", Some(&body)).status,
            422,
            "{wrong}"
        );
    }
}

#[test]
fn comped_without_stripe_is_rejected_with_the_expected_message() {
    let site = TestSite::staffed();
    let body = json!({"members": [{"email": "a@example.com", "comped": true}]});
    let response = site.ask("POST", "members/", Some(&body));
    let message = response.json()["errors"][0]["message"].clone();
    assert!(
        message
            .as_str()
            .unwrap()
            .starts_with("Missing Stripe connection"),
        "{message}"
    );
}

#[test]
fn archived_newsletters_are_hidden_and_ignored() {
    let site = TestSite::staffed();
    let id = site.read("newsletters/")["newsletters"][0]["id"].clone();
    let ana = site.add("members", json!({"email": "a@example.com"}));
    assert_eq!(ana["subscribed"], true);
    let newsletter = format!("newsletters/{}/", id.as_str().unwrap());
    let set_status = |status: &str| {
        let body = json!({"newsletters": [{"status": status}]});
        assert_eq!(site.ask("PUT", &newsletter, Some(&body)).status, 200);
        site.read(&path(&ana))["members"][0].clone()
    };

    let archived = set_status("archived");
    assert_eq!(
        (&archived["subscribed"], &archived["newsletters"]),
        (&json!(false), &json!([]))
    );
    let active = set_status("active");
    assert_eq!(active["newsletters"][0]["id"], id);
}

#[test]
fn email_addresses_are_compared_ignoring_case_but_not_accents() {
    let site = TestSite::staffed();
    let ana = site.add("members", json!({"email": "ana@example.com"}));
    let ben = site.add("members", json!({"email": "ben@example.com"}));
    let taken = json!({"members": [{"email": "ANA@example.com"}]});
    for (method, path) in [("POST", "members/".to_owned()), ("PUT", path(&ben))] {
        let response = site.ask(method, &path, Some(&taken));
        assert_eq!(
            failure(&response),
            (422, "ValidationError".to_owned(), json!("email"))
        );
    }
    edit(&site, &ana, json!({"email": "Ana@example.com"}));
    edit(&site, &ben, json!({"email": "aná@example.com"}));
}

#[test]
fn invalid_member_is_rejected_with_the_field_name() {
    let site = TestSite::staffed();
    for (member, property) in [
        (json!({"email": ""}), json!("email")),
        (json!({"email": " a@example.com"}), json!("email")),
        (json!({"email": 5}), json!("email")),
        (json!({"name": "x"}), Value::Null),
        (json!({"email": null}), Value::Null),
        (json!({"email": "a@example.com", "name": 5}), json!("name")),
        (
            json!({"email": "a@example.com", "subscribed": "x"}),
            json!("subscribed"),
        ),
        (
            json!({"email": "a@example.com", "labels": null}),
            json!("labels"),
        ),
        (json!({"email": "a@example.com", "labels": [5]}), json!("0")),
        (
            json!({"email": "a@example.com", "labels": ["x".repeat(192)]}),
            json!("0"),
        ),
        (
            json!({"email": "a@example.com", "stripe_customer_id": "cus_1"}),
            json!("stripe_customer_id"),
        ),
        (
            json!({"email": "a@example.com", "tiers": "x"}),
            json!("tiers"),
        ),
        (
            json!({"email": "a@example.com", "comped": true}),
            json!("comped"),
        ),
        (
            json!({"email": "a@example.com", "comped": null}),
            json!("comped"),
        ),
    ] {
        let body = json!({ "members": [member] });
        let response = site.ask("POST", "members/", Some(&body));
        assert_eq!(
            failure(&response),
            (422, "ValidationError".to_owned(), property),
            "{body}"
        );
    }
    let ana = site.add(
        "members",
        json!({"email": "a@example.com", "name": null, "note": null}),
    );
    let other = json!({"members": [{"id": "63b0000000000000000000ff", "name": "x"}]});
    assert_eq!(site.ask("PUT", &path(&ana), Some(&other)).status, 400);
    let unknown = json!({"members": [{"newsletters": [{"id": "63b0000000000000000000ff"}]}]});
    let refused = failure(&site.ask("PUT", &path(&ana), Some(&unknown)));
    assert_eq!(refused, (422, "ValidationError".to_owned(), Value::Null));
}

#[test]
fn welcome_email_has_a_personal_link() {
    let site = TestSite::staffed();
    let body = json!({"members": [{"email": "ana@example.com"}]});
    let endpoint = "members/?send_email=true&email_type=signup";
    assert_eq!(site.ask("POST", endpoint, Some(&body)).status, 201);
    let member = site.read("members/")["members"][0].clone();
    let mail = site.mail().mail_to("ana@example.com").everything();
    let link = format!("/members/?token={}-", member["id"].as_str().unwrap());
    assert!(mail.contains(&link), "{mail}");
    assert!(mail.contains("action=signup"), "{mail}");

    let links = site.read(&format!("{}signin_urls/", path(&member)));
    let link = &links["member_signin_urls"][0];
    assert_eq!(link["member_id"], member["id"]);
    assert!(link["url"].as_str().unwrap().ends_with("&action=signin"));
}

/// Returns the number of members that match a filter.
fn total(site: &TestSite, filter: &str) -> Value {
    site.read(&format!("members/?filter={filter}"))["meta"]["pagination"]["total"].clone()
}

#[test]
fn bulk_changes_select_members_by_filter_search_or_all() {
    let site = TestSite::staffed();
    for number in 0..4 {
        let labels = if number < 2 {
            json!(["Old"])
        } else {
            json!([])
        };
        site.add(
            "members",
            json!({"email": format!("m{number}@example.com"), "labels": labels}),
        );
    }
    let label = site.read("labels/")["labels"][0]["id"].clone();
    let new = site
        .ask(
            "POST",
            "labels/",
            Some(&json!({"labels": [{"name": "New"}]})),
        )
        .json();
    let new = new["labels"][0]["id"].clone();
    let change = |query: &str, bulk: Value| {
        let body = json!({ "bulk": bulk });
        site.ask("PUT", &format!("members/bulk/?{query}"), Some(&body))
    };
    let successful = |query: &str, bulk: Value| {
        change(query, bulk).json()["bulk"]["meta"]["stats"]["successful"].clone()
    };

    let add_new = json!({"action": "addLabel", "meta": {"label": {"id": new}}});
    assert_eq!(successful("filter=label:old", add_new.clone()), 2);
    assert_eq!(total(&site, "label:new"), 2);
    assert_eq!(successful("search=M3@", add_new.clone()), 1);
    assert_eq!(total(&site, "label:new"), 3);
    let remove = json!({"action": "removeLabel", "meta": {"label": {"id": label}}});
    assert_eq!(successful("all=true", remove), 4);
    assert_eq!(total(&site, "label:old"), 0);
    assert_eq!(
        successful("filter=label:new", json!({"action": "unsubscribe"})),
        3
    );
    assert_eq!(total(&site, "subscribed:true"), 1);

    let delete = |query: &str| site.ask("DELETE", &format!("members/?{query}"), None);
    for refused in [
        change("", add_new.clone()),
        change("all=false", add_new.clone()),
        change("filter=nosuch:x", add_new),
        change("all=true", json!({"action": "nonsense"})),
        delete(""),
        delete("filter=nosuch:x"),
    ] {
        assert_eq!(refused.status, 400, "{}", refused.text());
    }
    let unknown =
        json!({"action": "addLabel", "meta": {"label": {"id": "63b0000000000000000000ff"}}});
    assert_eq!(change("all=true", unknown).status, 422);
    assert_eq!(
        change("all=true", json!({"action": "addLabel"})).status,
        422
    );

    assert_eq!(
        delete("filter=label:new").json()["meta"]["stats"]["successful"],
        3
    );
    assert_eq!(delete("all=true").json()["meta"]["stats"]["successful"], 1);
    assert_eq!(site.read("members/")["meta"]["pagination"]["total"], 0);
}
