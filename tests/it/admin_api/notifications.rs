//! What the staff is told.

use serde_json::{Value, json};

use super::owner::{ask, read, site};
use crate::staffed_site::{ADMIN, Ask, StaffedSite, Who};

fn tell(site: &StaffedSite, notification: &Value) -> (u16, Value) {
    let body = json!({ "notifications": [notification] });
    let answer = ask(site, "POST", "notifications/", Some(&body));
    (answer.status, answer.json())
}

fn names(told: &Value) -> Vec<String> {
    let told = told["notifications"].as_array().unwrap().iter();
    told.map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_one_has_put_away_others_still_see() {
    let site = site();
    site.add_user("Editor");
    tell(
        &site,
        &json!({"message": "Hello", "id": "mine", "custom": true}),
    );
    tell(
        &site,
        &json!({"message": "Later", "id": "later", "custom": true}),
    );
    assert_eq!(names(&read(&site, "notifications/")), ["later", "mine"]);

    for _ in 0..2 {
        let answer = ask(&site, "DELETE", "notifications/mine/", None);
        assert_eq!(answer.status, 204, "{}", answer.text());
    }

    assert_eq!(names(&read(&site, "notifications/")), ["later"]);
    let listing = Ask::new("GET", &format!("{ADMIN}/notifications/"));
    let of_editor = site.send(&Who::session("Editor"), &listing).json();
    assert_eq!(names(&of_editor), ["later", "mine"]);
    let again = tell(&site, &json!({"message": "Hello", "id": "mine"}));
    assert_eq!(again, (200, json!({"notifications": []})));
}

#[test]
fn of_what_is_not_custom_the_last_alone_is_kept() {
    let site = site();
    tell(
        &site,
        &json!({"message": "Hello", "id": "mine", "custom": true}),
    );
    tell(&site, &json!({"message": "Version 2", "id": "two"}));
    tell(&site, &json!({"message": "Version 3", "id": "three"}));

    assert_eq!(names(&read(&site, "notifications/")), ["three", "mine"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let site = site();
    for (body, status) in [
        (json!({"notifications": [{"type": "info"}]}), 422),
        (json!({"notifications": [{"message": 5}]}), 422),
        (
            json!({"notifications": [{"message": "x".repeat(10_001)}]}),
            422,
        ),
        (json!({}), 400),
    ] {
        let answer = ask(&site, "POST", "notifications/", Some(&body));
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    tell(
        &site,
        &json!({"message": "Stays", "id": "fixed", "dismissible": false}),
    );
    for (name, status) in [("fixed", 403), ("none", 404)] {
        let answer = ask(&site, "DELETE", &format!("notifications/{name}/"), None);
        assert_eq!(answer.status, status, "{}", answer.text());
    }
}

#[test]
fn what_is_new_has_an_address() {
    let site = site();
    let told = json!({"notifications": [{"message": "Hello", "id": "mine 1"}]});
    let answer = ask(&site, "POST", "notifications/", Some(&told));
    let location = answer.header("location").unwrap();
    assert!(
        location.ends_with("/ghost/api/admin/notifications/mine%201/"),
        "{location}"
    );
    let again = ask(&site, "POST", "notifications/", Some(&told));
    assert_eq!((again.status, again.header("location")), (200, None));
}
