//! Tests of snippets of the editor.

use galley_tests::TestSite;
use serde_json::{Value, json};

fn add(site: &TestSite, snippet: &Value) -> (u16, Value) {
    let response = site.ask("POST", "snippets/", Some(&json!({ "snippets": [snippet] })));
    (response.status, response.json())
}

#[test]
fn snippet_documents_are_minified_and_site_urls_relocatable() {
    let site = TestSite::staffed();
    let home = site.read("site/")["site"]["url"].clone();
    let home = home.as_str().unwrap();
    let lexical = format!("{{\"root\": {{\"children\": [], \"url\": \"{home}about/\"}}}}");
    let snippet = json!({"name": "Foot", "mobiledoc": "{ \"cards\": [] }", "lexical": lexical});
    let (status, _) = add(&site, &snippet);
    assert_eq!(status, 201);

    let listed = site.read("snippets/?formats=mobiledoc,lexical");

    assert_eq!(listed["snippets"][0]["mobiledoc"], "{\"cards\":[]}");
    let served = listed["snippets"][0]["lexical"].as_str().unwrap();
    assert!(
        served.contains(&format!("\"url\":\"{home}about/\"")),
        "{served}"
    );
}

#[test]
fn invalid_documents_and_duplicate_names_are_rejected_with_the_field_name() {
    let site = TestSite::staffed();
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
    let response = site.ask("PUT", &format!("snippets/{id}/"), Some(&taken));
    assert_eq!(response.status, 422, "{}", response.text());
    assert_eq!(site.read("snippets/")["meta"]["pagination"]["total"], 2);
}

#[test]
fn update_without_a_document_keeps_the_document() {
    let site = TestSite::staffed();
    let snippet = json!({"name": "A", "mobiledoc": "{}", "lexical": "{\"root\":{}}"});
    let id = add(&site, &snippet).1["snippets"][0]["id"].clone();
    let id = id.as_str().unwrap();
    let renamed = json!({"snippets": [{"name": "B", "mobiledoc": "{}"}]});
    let response = site.ask("PUT", &format!("snippets/{id}/"), Some(&renamed));
    assert_eq!(response.status, 200, "{}", response.text());

    let listed = site.read("snippets/?formats=lexical&filter=name:B&order=name%20desc");

    assert_eq!(listed["snippets"][0]["lexical"], "{\"root\":{}}");
    assert_eq!(listed["snippets"][0]["mobiledoc"], Value::Null);
    assert_eq!(site.ask("GET", "snippets/?filter=nope:1", None).status, 400);
}
