//! Tests of recommendations of other sites.

use galley_tests::{Request, TestSite, Who};
use serde_json::{Value, json};

#[test]
fn new_recommendation_has_no_update_date_but_lists_show_its_creation() {
    let site = TestSite::staffed();
    let body = json!({"recommendations": [{"title": "Shore", "url": "https://shore.example/"}]});

    let added = site.ask("POST", "recommendations/", Some(&body)).json();

    let added = &added["recommendations"][0];
    assert_eq!(added["updated_at"], Value::Null);
    let listed = site.read("recommendations/");
    assert_eq!(
        listed["recommendations"][0]["updated_at"],
        added["created_at"]
    );
}

#[test]
fn site_is_recommended_once_regardless_of_query_and_fragment() {
    let site = TestSite::staffed();
    let add = |url: &str| {
        let body = json!({"recommendations": [{"title": "Shore", "url": url}]});
        site.ask("POST", "recommendations/", Some(&body))
    };
    assert_eq!(add("https://shore.example/").status, 201);

    let again = add("http://www.shore.example/?from=here#top");

    assert_eq!(again.status, 422);
    let message = again.json()["errors"][0].to_string();
    assert!(message.contains("already exists"), "{message}");
    assert_eq!(add("/on/this/site/").status, 422);
    let added = add("https://schöner.example").json();
    assert_eq!(
        added["recommendations"][0]["url"],
        "https://xn--schner-yxa.example/"
    );
}

#[test]
fn check_finds_an_existing_recommendation_or_previews_a_new_one() {
    let site = TestSite::staffed();
    let body = |url: &str| json!({"recommendations": [{"title": "Shore", "url": url}]});
    let check = |url: &str| site.ask("POST", "recommendations/check/", Some(&body(url)));
    let add = body("https://shore.example/a/");
    let added = site.ask("POST", "recommendations/", Some(&add)).json();

    let known = check("http://www.shore.example/a?from=here").json();

    let id = &added["recommendations"][0]["id"];
    assert_eq!(&known["recommendations"][0]["id"], id);
    let new = check("https://shore.example/b?c=d").json();
    assert_eq!(
        new["recommendations"][0],
        json!({
            "id": null, "title": null, "description": null, "excerpt": null, "featured_image": null, "favicon": null,
            "url": "https://shore.example/b/?c=d", "one_click_subscribe": false, "created_at": null, "updated_at": null,
        })
    );
    assert_eq!(check("/b/").status, 422);
    let listed = site.read("recommendations/");
    assert_eq!(listed["meta"]["pagination"]["total"], 1);
}

#[test]
fn lists_have_five_and_are_ordered_by_known_fields_in_both_apis() {
    let site = TestSite::staffed();
    for number in 0..7 {
        let (title, url) = (format!("R{number}"), format!("https://r{number}.example/"));
        let body = json!({"recommendations": [{"title": title, "url": url}]});
        assert_eq!(
            site.ask("POST", "recommendations/", Some(&body)).status,
            201
        );
    }
    let staff = |query: &str| site.ask("GET", &format!("recommendations/{query}"), None);
    let reader = |query: &str| {
        let path = format!("/ghost/api/content/recommendations/{query}");
        site.ask_as(&Who::Reader, &Request::new("GET", &path))
    };
    let titles = |body: &Value| -> Vec<String> {
        let listed = body["recommendations"].as_array().unwrap();
        listed
            .iter()
            .map(|one| one["title"].as_str().unwrap().to_owned())
            .collect()
    };
    for body in [staff("").json(), reader("").json()] {
        let pages = &body["meta"]["pagination"];
        assert_eq!((&pages["limit"], &pages["pages"]), (&json!(5), &json!(2)));
    }
    for (query, first) in [("?order=title%20asc", "R0"), ("?order=title", "R6")] {
        for body in [staff(query).json(), reader(query).json()] {
            assert_eq!(titles(&body)[0], first, "{query}");
        }
    }
    for query in [
        "?order=url",
        "?order=foo%20asc",
        "?order=title%20up",
        "?order=created_at%20desc,foo",
    ] {
        assert_eq!(staff(query).status, 422, "{query}");
        assert_eq!(reader(query).status, 422, "{query}");
    }
}

#[test]
fn counts_are_zero_and_other_relations_are_rejected() {
    let site = TestSite::staffed();
    let body = json!({"recommendations": [{"title": "Shore", "url": "https://shore.example/"}]});
    let added = site.ask("POST", "recommendations/", Some(&body)).json();
    let id = added["recommendations"][0]["id"].as_str().unwrap();
    let counts = json!({ "clicks": 0, "subscribers": 0 });
    for path in ["recommendations/", &format!("recommendations/{id}/")] {
        let found = site.read(&format!("{path}?include=count.clicks,count.subscribers"));
        assert_eq!(found["recommendations"][0]["count"], counts);
        assert_eq!(site.read(path)["recommendations"][0]["count"], Value::Null);
        assert_eq!(
            site.ask("GET", &format!("{path}?include=tags"), None)
                .status,
            422
        );
    }
}
