//! Tests of member lists as CSV files: import and export.

use galley_tests::{TestSite, http_client::HttpResponse, multipart::Form};
use serde_json::{Value, json};

use super::{failure, upload};

fn import_csv(site: &TestSite, csv: &str, texts: &[(&str, &str)]) -> HttpResponse {
    let mut form = Form::default();
    for (name, text) in texts {
        form = form.field(name, text);
    }
    let form = form.file("membersfile", "list.csv", "text/csv", csv.as_bytes());
    upload(site, "members/upload/", form)
}

fn meta(response: &HttpResponse) -> Value {
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["meta"].clone()
}

fn member(site: &TestSite, email: &str) -> Value {
    site.read(&format!("members/?filter=email:%27{email}%27"))["members"][0].clone()
}

fn labels(member: &Value) -> Vec<String> {
    let labels = member["labels"].as_array().unwrap().iter();
    labels
        .map(|label| label["name"].as_str().unwrap().to_owned())
        .filter(|name| !name.starts_with("Import "))
        .collect()
}

#[test]
fn mapped_columns_and_labels_apply_to_all_imported_members() {
    let site = TestSite::staffed();
    let csv = "Mail,Who,Skip\nana@example.com,Ana,x\nben@example.com,Ben,y\n";
    let texts = [
        ("mapping[Mail]", "email"),
        ("mapping[Who]", "name"),
        ("mapping[Skip]", ""),
        ("labels", "One"),
        ("labels", "Two"),
    ];

    let meta = meta(&import_csv(&site, csv, &texts));

    assert_eq!(meta["originalImportSize"], 2);
    assert_eq!(meta["stats"], json!({"imported": 2, "invalid": []}));
    let ana = member(&site, "ana@example.com");
    assert_eq!(ana["name"], "Ana");
    assert_eq!(labels(&ana), ["One", "Two"]);
    let import_label = meta["import_label"]["name"].as_str().unwrap();
    assert!(import_label.starts_with("Import 2"), "{import_label}");
}

#[test]
fn invalid_rows_are_reported_with_line_numbers() {
    let site = TestSite::staffed();
    let csv = "email,name\nnobody,N\n\nana@example.com,Ana\n,X\nana@example.com,Ana again\n";

    let meta = meta(&import_csv(&site, csv, &[]));

    assert_eq!(meta["originalImportSize"], 4);
    assert_eq!(meta["stats"]["imported"], 2);
    let invalid = meta["stats"]["invalid"].as_array().unwrap();
    let errors: Vec<&str> = invalid
        .iter()
        .map(|row| row["error"].as_str().unwrap())
        .collect();
    assert!(errors[0].starts_with("line 2: "), "{errors:?}");
    assert!(errors[1].starts_with("line 5: "), "{errors:?}");
    assert_eq!(errors.len(), 2);
    assert_eq!(member(&site, "ana@example.com")["name"], "Ana again");
}

#[test]
fn invalid_and_ambiguous_dates_are_reported() {
    let site = TestSite::staffed();
    let rows = [
        ("iso", "2020-02-03", Some("2020-02-03")),
        ("us", "12/31/2020", Some("2020-12-31")),
        ("german", "31.12.2020 09:30", Some("2020-12-31")),
        ("same", "03/03/2020", Some("2020-03-03")),
        ("one-of-two", "03/02/2020", None),
        ("dots", "3.2.2020", None),
        ("dashes", "03-02-2020", None),
        ("short", "03/02/20", None),
        ("words", "yesterday", None),
        ("number", "1580688000", None),
        ("future", "2999-01-01", None),
        ("months", "13/13/2020", None),
    ];
    let lines = rows.map(|(name, date, _)| format!("{name}@example.com,{date}\n"));
    let csv = format!("email,created_at\n{}", lines.concat());

    let meta = meta(&import_csv(&site, &csv, &[]));

    assert_eq!(meta["stats"]["imported"], rows.len());
    let invalid = meta["stats"]["invalid"].as_array().unwrap();
    let errors: Vec<&str> = invalid
        .iter()
        .map(|row| row["error"].as_str().unwrap())
        .collect();
    for (position, (name, date, expected)) in rows.iter().enumerate() {
        let created_at = member(&site, &format!("{name}@example.com"))["created_at"].clone();
        let line = format!("line {}: ", position + 2);
        let error = errors.iter().find(|error| error.starts_with(&line));
        match expected {
            Some(expected) => {
                assert!(
                    created_at.as_str().unwrap().starts_with(expected),
                    "{name}: {created_at}"
                );
                assert_eq!(error, None, "{name}");
            }
            None => {
                let error = error.unwrap_or_else(|| panic!("{name} is not reported: {errors:?}"));
                assert!(
                    error.contains("the row is imported, but") && error.contains(date),
                    "{error}"
                );
                assert!(
                    !created_at.as_str().unwrap().starts_with("2020"),
                    "{name}: {created_at}"
                );
            }
        }
    }
}

#[test]
fn exported_list_preserves_newsletters_of_members() {
    let site = TestSite::staffed();
    for name in ["Weekly, with pictures", "Daily"] {
        site.add("newsletters", json!({"name": name}));
    }
    let newsletters = site.read("newsletters/")["newsletters"].clone();
    let members = [
        ("all", vec![0, 1, 2]),
        ("comma", vec![1]),
        ("two", vec![2, 0]),
        ("none", vec![]),
    ];
    for (name, own) in &members {
        let own: Vec<&Value> = own.iter().map(|index| &newsletters[index]).collect();
        site.add(
            "members",
            json!({"email": format!("{name}@example.com"), "newsletters": own}),
        );
    }
    let list = site.ask("GET", "members/upload/", None).text().to_owned();
    let header = list.lines().next().unwrap();
    assert_eq!(
        header,
        "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers,newsletters"
    );
    for (name, _) in &members {
        let id = member(&site, &format!("{name}@example.com"))["id"].clone();
        let endpoint = format!("members/{}/", id.as_str().unwrap());
        assert_eq!(site.ask("DELETE", &endpoint, None).status, 204);
    }

    let meta = meta(&import_csv(
        &site,
        &format!("{list},x@example.com,,,true,,,,,,,\"Daily,Gone\"\n"),
        &[],
    ));

    let invalid = meta["stats"]["invalid"].as_array().unwrap();
    assert_eq!(invalid.len(), 1, "{invalid:?}");
    assert!(
        invalid[0]["error"].as_str().unwrap().contains("\"Gone\""),
        "{invalid:?}"
    );
    let names = |member: &Value| -> Vec<String> {
        let mut names: Vec<String> = member["newsletters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|newsletter| newsletter["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    for (name, own) in &members {
        let mut expected: Vec<String> = own
            .iter()
            .map(|index| newsletters[index]["name"].as_str().unwrap().to_owned())
            .collect();
        expected.sort();
        let again = member(&site, &format!("{name}@example.com"));
        assert_eq!(names(&again), expected, "{name}");
    }
    assert_eq!(names(&member(&site, "x@example.com")), ["Daily"]);
}

#[test]
fn unknown_columns_are_reported() {
    let site = TestSite::staffed();
    let response = import_csv(&site, "email,Shoe size\nana@example.com,39\n", &[]);
    assert_eq!(response.status, 201);
    assert_eq!(
        response.header("galley-ignored-fields"),
        Some("Shoe%20size")
    );
}

#[test]
fn empty_list_creates_no_label() {
    let site = TestSite::staffed();
    let meta = meta(&import_csv(&site, "email,name\n", &[("labels", "One")]));
    assert_eq!(meta["originalImportSize"], 0);
    assert_eq!(meta["import_label"], Value::Null);
    assert_eq!(site.read("labels/")["labels"], json!([]));
}

#[test]
fn invalid_list_is_rejected_without_changes() {
    let site = TestSite::staffed();
    let no_addresses = import_csv(&site, "name\nAna\n", &[]);
    assert_eq!(failure(&no_addresses).0, 422);
    let broken = import_csv(
        &site,
        "email\nana@example.com\n\u{0}\"",
        &[("labels", "One")],
    );
    assert!(matches!(broken.status, 201 | 422), "{}", broken.text());
    for (name, kind) in [("list.txt", "text/csv"), ("list.csv", "image/png")] {
        let form = Form::default().file("membersfile", name, kind, b"email\n");
        assert_eq!(upload(&site, "members/upload/", form).status, 415, "{name}");
    }
}

#[test]
fn exported_list_respects_filter_and_search() {
    let site = TestSite::staffed();
    let csv = "email,name,note\nana@example.com,Ana,\"=1+1, he said\"\nben@example.com,Ben,\ncarla@example.com,Carla,\n";
    meta(&import_csv(&site, csv, &[]));
    let lines = |query: &str| -> Vec<String> {
        let response = site.ask("GET", &format!("members/upload/?{query}"), None);
        assert_eq!(response.status, 200, "{}", response.text());
        let text = response.text().to_owned();
        text.lines().skip(1).map(str::to_owned).collect()
    };
    assert_eq!(lines("").len(), 3);
    assert_eq!(lines("limit=2").len(), 2);
    let ben = lines("search=BEN");
    assert!(
        ben.len() == 1 && ben[0].contains("ben@example.com"),
        "{ben:?}"
    );
    let ana = lines("filter=name:Ana");
    // The apostrophe stops spreadsheets from evaluating the note as a formula.
    assert!(
        ana.len() == 1 && ana[0].contains("\"'=1+1, he said\""),
        "{ana:?}"
    );
    assert_eq!(
        site.ask("GET", "members/upload/?filter=nope:1", None)
            .status,
        400
    );
}

#[test]
fn long_list_is_imported_in_one_transaction_and_exported() {
    let site = TestSite::staffed();
    let mut csv = "email,name,labels\n".to_owned();
    for number in 0..3000 {
        csv.push_str(&format!(
            "m{number}@example.com,M {number},\"All,L{}\"\n",
            number % 7
        ));
    }

    let meta = meta(&import_csv(&site, &csv, &[]));

    assert_eq!(meta["stats"]["imported"], 3000);
    assert_eq!(
        site.read("members/?limit=1")["meta"]["pagination"]["total"],
        3000
    );
    let out = site.ask("GET", "members/upload/?limit=all", None);
    assert_eq!(out.text().lines().count(), 3001);
    let counted = site.read("members/stats/count/");
    assert_eq!(counted["total"], 3000);
    assert_eq!(site.read("stats/referrers/")["stats"][0]["signups"], 3000);
}
