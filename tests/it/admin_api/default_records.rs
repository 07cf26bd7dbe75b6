//! Tests of the dates of a new site's default records.

use galley_tests::TestSite;
use serde_json::Value;

/// Returns the creation and update dates of every record of a list.
fn dates(response: &Value, name: &str) -> Vec<String> {
    let records = response[name].as_array().unwrap().iter();
    records
        .flat_map(|record| [&record["created_at"], &record["updated_at"]])
        .map(|date| date.as_str().unwrap().to_owned())
        .collect()
}

fn is_undated(date: &str) -> bool {
    date.starts_with("1970")
}

#[test]
fn default_tiers_newsletters_and_roles_have_the_creation_date_of_the_site() {
    let site = TestSite::builder().without_content().staffed().start();
    for name in ["tiers", "newsletters", "roles"] {
        let dates = dates(&site.read(&format!("{name}/")), name);
        assert!(
            !dates.iter().any(|date| is_undated(date)),
            "{name}: {dates:?}"
        );
    }
    let dates = dates(&site.json("tiers/"), "tiers");
    assert!(!dates.iter().any(|date| is_undated(date)), "{dates:?}");
}

#[test]
fn site_of_content_files_shows_its_start_date_only_to_staff() {
    let site = TestSite::builder()
        .file("posts/one.md", "# One")
        .staffed()
        .start();
    let as_reader = site.json("tiers/");
    for tier in as_reader["tiers"].as_array().unwrap() {
        assert_eq!(tier["created_at"], "1970-01-01T00:00:00.000Z");
    }
    for name in ["tiers", "newsletters", "roles"] {
        let list = site.read(&format!("{name}/"));
        let created = list[name].as_array().unwrap().iter();
        let created: Vec<&Value> = created.map(|record| &record["created_at"]).collect();
        assert!(
            !created
                .iter()
                .any(|date| is_undated(&date.to_string().replace('"', ""))),
            "{name}: {created:?}"
        );
    }
}

#[test]
fn change_within_the_first_second_is_detected() {
    let site = TestSite::staffed();
    let id = site.read("newsletters/")["newsletters"][0]["id"].clone();
    let endpoint = format!("newsletters/{}/", id.as_str().unwrap());
    let body = serde_json::json!({"newsletters": [{"description": "Mine"}]});
    assert_eq!(site.ask("PUT", &endpoint, Some(&body)).status, 200);
    let catalog = &site.site().current().catalog;
    let newsletter = catalog.newsletters.iter().next().unwrap();
    assert!(!newsletter.is_untouched_default());
}
