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
