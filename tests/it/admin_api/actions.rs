//! Tests that the audit log lists actions with actor and resource.

use galley_tests::{Request, TestSite, Who, request::ADMIN};
use serde_json::{Value, json};

fn recommend(site: &TestSite, number: usize) {
    let url = format!("https://{number}.example/");
    let title = format!("Site {number}");
    let body = json!({"recommendations": [{"title": title, "url": url}]});
    let response = site.ask("POST", "recommendations/", Some(&body));
    assert_eq!(response.status, 201, "{}", response.text());
}

fn names(site: &TestSite, query: &str) -> Vec<String> {
    let listed = site.read(&format!("actions/?{query}"));
    let actions = listed["actions"].as_array().unwrap().clone();
    let name = |action: &Value| {
        let context: Value = serde_json::from_str(action["context"].as_str().unwrap()).unwrap();
        context["primary_name"].as_str().unwrap().to_owned()
    };
    actions.iter().map(name).collect()
}

#[test]
fn actions_are_listed_newest_first_even_within_one_second() {
    let site = TestSite::staffed();
    (1..=6).for_each(|number| recommend(&site, number));
    let expected = ["Site 6", "Site 5", "Site 4", "Site 3", "Site 2", "Site 1"];
    assert_eq!(names(&site, "limit=6"), expected);
    assert_eq!(names(&site, "limit=2&page=2"), expected[2..4]);
    let found = "filter=resource_type:recommendation%2Bevent:added&limit=4&page=2";
    assert_eq!(names(&site, found), expected[4..]);
}

#[test]
fn actor_is_included_on_request() {
    let site = TestSite::staffed();
    let tier = json!({"tiers": [{"name": "Gold", "monthly_price": 1, "yearly_price": 2, "currency": "eur"}]});
    let add = Request::new("POST", &format!("{ADMIN}/tiers/")).json(&tier);
    assert_eq!(site.ask_as(&Who::Integration, &add).status, 201);
    recommend(&site, 1);

    let listed = site.read("actions/?limit=2&include=actor,resource");

    let actions = &listed["actions"];
    assert_eq!(actions[0]["actor_type"], "user");
    assert_eq!(actions[0]["actor"]["slug"], "ada");
    assert_eq!(actions[1]["actor_type"], "integration");
    assert_eq!(actions[1]["actor"]["name"], "Conformance");
    assert_eq!(actions[1]["resource"]["slug"], "gold");
}

#[test]
fn setting_is_identified_by_key_and_group() {
    let site = TestSite::staffed();
    let wanted = json!({"settings": [{"key": "title", "value": "Another"}]});
    assert_eq!(site.ask("PUT", "settings/", Some(&wanted)).status, 200);
    let listed = site.read("actions/?limit=1");
    let context = r#"{"key":"title","group":"site"}"#;
    assert_eq!(listed["actions"][0]["context"], context);
}

#[test]
fn resource_without_a_url_is_identified_by_name() {
    let site = TestSite::staffed();
    let snippet = json!({"name": "Greeting", "mobiledoc": "{}", "lexical": "{}"});
    for (kind, resource_type, record, expected) in [
        (
            "labels",
            "label",
            json!({"name": "Vip"}),
            json!({"name": "Vip", "slug": "vip"}),
        ),
        ("snippets", "snippet", snippet, json!({"name": "Greeting"})),
        (
            "members",
            "member",
            json!({"email": "a@example.com", "name": "Ann"}),
            json!({"name": "Ann"}),
        ),
    ] {
        let response = site.ask("POST", &format!("{kind}/"), Some(&json!({kind: [record]})));
        assert_eq!(response.status, 201, "{}", response.text());
        let mut expected = expected;
        expected["id"] = response.json()[kind][0]["id"].clone();
        let query = format!("actions/?include=resource&filter=resource_type:{resource_type}");
        assert_eq!(site.read(&query)["actions"][0]["resource"], expected);
    }
}

#[test]
fn unknown_field_is_rejected() {
    let site = TestSite::staffed();
    let status = |filter: &str| {
        site.ask("GET", &format!("actions/?filter={filter}"), None)
            .status
    };
    assert_eq!(status("nonsense:1"), 400);
    assert_eq!(status("event:"), 400);
}
