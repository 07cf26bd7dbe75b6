//! Recommendations of other sites.

use serde_json::{Value, json};

use super::owner::{ask, read, site};

#[test]
fn a_new_one_tells_of_no_change_and_lists_tell_of_its_making() {
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
fn a_site_is_recommended_once_whatever_else_its_url_has() {
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
