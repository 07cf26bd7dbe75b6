//! Tests that the committed JSON Schemas match the program's tables of keys.

use galley::content_files::schema;
use serde_json::Value;

use super::golden::assert_golden;

/// Returns all schemas with their names.
fn schemas() -> [(&'static str, Value); 6] {
    [
        ("front-matter", schema::front_matter()),
        ("site", schema::site()),
        ("author", schema::author()),
        ("tag", schema::tag()),
        ("tier", schema::tier()),
        ("newsletter", schema::newsletter()),
    ]
}

#[test]
fn committed_schemas_are_up_to_date() {
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        assert_golden(&format!("schema/{name}.schema.json"), &text);
    }
}

#[test]
fn every_schema_reference_resolves() {
    for (name, schema) in schemas() {
        let mut references = Vec::new();
        collect_references(&schema, &mut references);
        for reference in references {
            let target = schema.pointer(reference.trim_start_matches('#'));
            assert!(target.is_some_and(Value::is_object), "{name}: {reference}");
        }
    }
}

fn collect_references(schema: &Value, references: &mut Vec<String>) {
    match schema {
        Value::Object(object) => {
            references.extend(
                object
                    .get("$ref")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            object
                .values()
                .for_each(|inner| collect_references(inner, references));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|inner| collect_references(inner, references)),
        _ => {}
    }
}

#[test]
fn schema_lists_keys_and_their_aliases() {
    let schema = schema::front_matter();
    let properties = &schema["properties"];
    assert_eq!(properties["title"]["maxLength"], 255);
    assert_eq!(properties["title"]["description"], "The title.");
    assert_eq!(
        properties["date"]["description"],
        "Another name for `published_at`."
    );
    let forms: Vec<&str> = properties["cover"]["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|form| form["type"].as_str().unwrap())
        .collect();
    assert_eq!(forms, ["string", "object"]);
    assert_eq!(
        schema["allOf"],
        serde_json::json!([{ "anyOf": [{ "required": ["title"] }] }])
    );
}
