//! Pieces that writers keep.

use serde_json::{Value, json};

use super::owner::{ask, read, site};
use crate::staffed_site::StaffedSite;

fn add(site: &StaffedSite, snippet: &Value) -> (u16, Value) {
    let answer = ask(
        site,
        "POST",
        "snippets/",
        Some(&json!({ "snippets": [snippet] })),
    );
    (answer.status, answer.json())
}

#[test]
fn documents_are_kept_without_blanks_and_addresses_of_the_site_move_with_it() {
    let site = site();
    let home = read(&site, "site/")["site"]["url"].clone();
    let home = home.as_str().unwrap();
    let lexical = format!("{{\"root\": {{\"children\": [], \"url\": \"{home}about/\"}}}}");
    let snippet = json!({"name": "Foot", "mobiledoc": "{ \"cards\": [] }", "lexical": lexical});
    let (status, _) = add(&site, &snippet);
    assert_eq!(status, 201);

    let listed = read(&site, "snippets/?formats=mobiledoc,lexical");

    assert_eq!(listed["snippets"][0]["mobiledoc"], "{\"cards\":[]}");
    let served = listed["snippets"][0]["lexical"].as_str().unwrap();
    assert!(
        served.contains(&format!("\"url\":\"{home}about/\"")),
        "{served}"
    );
}

#[test]
fn what_is_no_document_and_names_that_are_taken_are_refused_by_the_name_of_the_field() {
    let site = site();
    assert_eq!(add(&site, &json!({"name": "A", "mobiledoc": "{}"})).0, 201);
    let second = add(&site, &json!({"name": "B", "mobiledoc": "{}"})).1;
    let id = second["snippets"][0]["id"].as_str().unwrap();
    for (snippet, property) in [
        (json!({"name": "", "mobiledoc": "{}"}), json!("name")),
        (json!({"name": 5, "mobiledoc": "{}"}), json!("name")),
        (
            json!({"name": "n".repeat(192), "mobiledoc": "{}"}),
            json!("name"),
        ),
        (
            json!({"name": "C", "mobiledoc": "{}", "lexical": 5}),
            json!("lexical"),
        ),
        (json!({"name": "C", "mobiledoc": ""}), json!("mobiledoc")),
        (json!({"name": "C", "mobiledoc": "{"}), json!("mobiledoc")),
        (
            json!({"name": "C", "mobiledoc": "{}", "lexical": "no"}),
            json!("lexical"),
        ),
        (
            json!({"name": "C", "mobiledoc": format!("\"{}\"", "x".repeat(1 << 20))}),
            json!("mobiledoc"),
        ),
        (json!({"name": "C"}), json!("0")),
        (json!({"name": "A", "mobiledoc": "{}"}), Value::Null),
    ] {
        let (status, refusal) = add(&site, &snippet);
        assert_eq!(status, 422, "{snippet}");
        assert_eq!(refusal["errors"][0]["property"], property, "{refusal}");
    }
    let taken = json!({"snippets": [{"name": "A", "mobiledoc": "{}"}]});
    let answer = ask(&site, "PUT", &format!("snippets/{id}/"), Some(&taken));
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(read(&site, "snippets/")["meta"]["pagination"]["total"], 2);
}

#[test]
fn a_change_that_says_nothing_of_the_editors_document_leaves_it() {
    let site = site();
    let snippet = json!({"name": "A", "mobiledoc": "{}", "lexical": "{\"root\":{}}"});
    let id = add(&site, &snippet).1["snippets"][0]["id"].clone();
    let id = id.as_str().unwrap();
    let renamed = json!({"snippets": [{"name": "B", "mobiledoc": "{}"}]});
    let answer = ask(&site, "PUT", &format!("snippets/{id}/"), Some(&renamed));
    assert_eq!(answer.status, 200, "{}", answer.text());

    let listed = read(
        &site,
        "snippets/?formats=lexical&filter=name:B&order=name%20desc",
    );

    assert_eq!(listed["snippets"][0]["lexical"], "{\"root\":{}}");
    assert_eq!(listed["snippets"][0]["mobiledoc"], Value::Null);
    assert_eq!(
        ask(&site, "GET", "snippets/?filter=nope:1", None).status,
        400
    );
}
