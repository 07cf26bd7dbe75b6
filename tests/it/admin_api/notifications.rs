//! Tests of staff notifications.

use galley_tests::{Request, TestSite, Who, request::ADMIN};
use serde_json::{Value, json};

fn notify(site: &TestSite, notification: &Value) -> (u16, Value) {
    let body = json!({ "notifications": [notification] });
    let response = site.ask("POST", "notifications/", Some(&body));
    (response.status, response.json())
}

fn names(listed: &Value) -> Vec<String> {
    let notifications = listed["notifications"].as_array().unwrap().iter();
    notifications
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn dismissed_notification_stays_visible_to_other_users() {
    let site = TestSite::staffed();
    site.add_user("Editor");
    notify(
        &site,
        &json!({"message": "Hello", "id": "mine", "custom": true}),
    );
    notify(
        &site,
        &json!({"message": "Later", "id": "later", "custom": true}),
    );
    assert_eq!(names(&site.read("notifications/")), ["later", "mine"]);

    for _ in 0..2 {
        let response = site.ask("DELETE", "notifications/mine/", None);
        assert_eq!(response.status, 204, "{}", response.text());
    }

    assert_eq!(names(&site.read("notifications/")), ["later"]);
    let listing = Request::new("GET", &format!("{ADMIN}/notifications/"));
    let of_editor = site.ask_as(&Who::session("Editor"), &listing).json();
    assert_eq!(names(&of_editor), ["later", "mine"]);
    let again = notify(&site, &json!({"message": "Hello", "id": "mine"}));
    assert_eq!(again, (200, json!({"notifications": []})));
}

#[test]
fn only_the_latest_non_custom_notification_is_stored() {
    let site = TestSite::staffed();
    notify(
        &site,
        &json!({"message": "Hello", "id": "mine", "custom": true}),
    );
    notify(&site, &json!({"message": "Version 2", "id": "two"}));
    notify(&site, &json!({"message": "Version 3", "id": "three"}));

    assert_eq!(names(&site.read("notifications/")), ["three", "mine"]);
}

#[test]
fn invalid_notification_is_rejected() {
    let site = TestSite::staffed();
    for (body, status) in [
        (json!({"notifications": [{"type": "info"}]}), 422),
        (json!({"notifications": [{"message": 5}]}), 422),
        (
            json!({"notifications": [{"message": "x".repeat(10_001)}]}),
            422,
        ),
        (json!({}), 400),
    ] {
        let response = site.ask("POST", "notifications/", Some(&body));
        assert_eq!(response.status, status, "{}", response.text());
    }
    notify(
        &site,
        &json!({"message": "Stays", "id": "fixed", "dismissible": false}),
    );
    for (name, status) in [("fixed", 403), ("none", 404)] {
        let response = site.ask("DELETE", &format!("notifications/{name}/"), None);
        assert_eq!(response.status, status, "{}", response.text());
    }
}

#[test]
fn new_notification_has_a_location() {
    let site = TestSite::staffed();
    let notification = json!({"notifications": [{"message": "Hello", "id": "mine 1"}]});
    let response = site.ask("POST", "notifications/", Some(&notification));
    let location = response.header("location").unwrap();
    assert!(
        location.ends_with("/ghost/api/admin/notifications/mine%201/"),
        "{location}"
    );
    let again = site.ask("POST", "notifications/", Some(&notification));
    assert_eq!((again.status, again.header("location")), (200, None));
}
