//! Tests of recommendations of other sites.

use serde_json::{Value, json};

use super::owner::{ask, read, site};

#[test]
fn new_recommendation_has_no_update_date_but_lists_show_its_creation() {
    let site = site();
    let body = json!({"recommendations": [{"title": "Shore", "url": "https://shore.example/"}]});

    let added = ask(&site, "POST", "recommendations/", Some(&body)).json();

    let added = &added["recommendations"][0];
    assert_eq!(added["updated_at"], Value::Null);
    let listed = read(&site, "recommendations/");
    assert_eq!(
        listed["recommendations"][0]["updated_at"],
        added["created_at"]
    );
}

#[test]
fn site_is_recommended_once_regardless_of_query_and_fragment() {
    let site = site();
    let add = |url: &str| {
        let body = json!({"recommendations": [{"title": "Shore", "url": url}]});
        ask(&site, "POST", "recommendations/", Some(&body))
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
    let site = site();
    let body = |url: &str| json!({"recommendations": [{"title": "Shore", "url": url}]});
    let check = |url: &str| ask(&site, "POST", "recommendations/check/", Some(&body(url)));
    let add = body("https://shore.example/a/");
    let added = ask(&site, "POST", "recommendations/", Some(&add)).json();

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
    let listed = read(&site, "recommendations/");
    assert_eq!(listed["meta"]["pagination"]["total"], 1);
}
