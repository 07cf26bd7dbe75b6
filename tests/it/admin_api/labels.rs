//! Tests of member labels.

use galley_tests::TestSite;
use serde_json::{Value, json};

use super::failure;

fn path(label: &Value) -> String {
    format!("labels/{}/", label["id"].as_str().unwrap())
}

#[test]
fn labels_are_sorted_by_name_with_member_counts() {
    let site = TestSite::staffed();
    let zed = site.add("labels", json!({"name": "Zed"}));
    site.add("labels", json!({"name": "alpha", "slug": "My Slug"}));
    site.add("labels", json!({"name": " Mid "}));
    let member = json!({"members": [{"email": "ana@example.com", "labels": ["Zed"]}]});
    site.ask("POST", "members/", Some(&member));

    let listed = site.read("labels/?include=count.members");

    let names: Vec<_> = listed["labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| (&label["name"], &label["slug"], &label["count"]["members"]))
        .collect();
    assert_eq!(
        names,
        [
            (&json!("alpha"), &json!("my-slug"), &json!(0)),
            (&json!("Mid"), &json!("mid"), &json!(0)),
            (&json!("Zed"), &json!("zed"), &json!(1)),
        ]
    );
    let ordered = site.read("labels/?include=count.members&order=count.members%20desc,name%20desc");
    let names = ordered["labels"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|label| &label["name"]).collect();
    assert_eq!(names, ["Zed", "Mid", "alpha"]);
    let single = site.read(&format!("{}?include=count.members", path(&zed)));
    assert_eq!(single["labels"][0]["count"]["members"], 1);
}

#[test]
fn renamed_label_keeps_its_slug_unless_a_new_one_is_sent() {
    let site = TestSite::staffed();
    let label = site.add("labels", json!({"name": "Friends"}));
    let other = site.add("labels", json!({"name": "Zed"}));
    for (change, name, slug) in [
        (json!({"name": "Close friends"}), "Close friends", "friends"),
        (json!({"slug": "zed"}), "Close friends", "zed-2"),
        (json!({"slug": ""}), "Close friends", "close-friends"),
    ] {
        let body = json!({ "labels": [change] });
        let response = site.ask("PUT", &path(&label), Some(&body));
        assert_eq!(response.header("x-cache-invalidate"), Some("/*"));
        let changed = &response.json()["labels"][0];
        assert_eq!(
            (&changed["name"], &changed["slug"]),
            (&json!(name), &json!(slug))
        );
        let again = site.ask("PUT", &path(&label), Some(&body));
        assert_eq!(again.header("x-cache-invalidate"), None);
    }
    for (change, status, property) in [
        (json!({"name": "Zed"}), 422, Value::Null),
        (json!({"name": ""}), 422, json!("name")),
        (json!({"name": ",a"}), 422, json!("name")),
        (json!({"name": "n".repeat(192)}), 422, json!("name")),
        (json!({"id": other["id"], "name": "x"}), 400, Value::Null),
    ] {
        let body = json!({ "labels": [change] });
        let response = site.ask("PUT", &path(&label), Some(&body));
        let (responded, _, named) = failure(&response);
        assert_eq!((responded, named), (status, property), "{body}");
    }
}

#[test]
fn deleted_label_is_removed_from_members_even_if_recreated() {
    let site = TestSite::staffed();
    let member = json!({"members": [{"email": "ana@example.com", "labels": ["Zed", "Stored"]}]});
    let added = site.ask("POST", "members/", Some(&member)).json();
    let label = &added["members"][0]["labels"][0];

    assert_eq!(site.ask("DELETE", &path(label), None).status, 204);
    assert_eq!(site.ask("DELETE", &path(label), None).status, 404);
    site.add("labels", json!({"name": "Zed"}));

    let listed = site.read("members/");
    let labels = &listed["members"][0]["labels"];
    assert_eq!(labels.as_array().unwrap().len(), 1);
    assert_eq!(labels[0]["name"], "Stored");
    let found = |filter: &str| {
        site.read(&format!("members/?filter={filter}"))["meta"]["pagination"]["total"].clone()
    };
    assert_eq!(found("label:zed"), 0);
    assert_eq!(found("label:stored"), 1);
}
