//! Tests of properties of `schema/openapi.json` that client generators need.

use std::collections::BTreeSet;

use galley::api::openapi::document;
use serde_json::{Map, Value, json};

/// Calls `check` with each object of the document.
fn each_object(part: &Value, check: &mut impl FnMut(&Map<String, Value>)) {
    match part {
        Value::Object(fields) => {
            check(fields);
            fields.values().for_each(|value| each_object(value, check));
        }
        Value::Array(items) => items.iter().for_each(|item| each_object(item, check)),
        _ => {}
    }
}

#[test]
fn every_array_has_an_items_schema() {
    let mut arrays = 0;
    each_object(&document(), &mut |schema| {
        let is_array = match schema.get("type") {
            Some(Value::Array(types)) => types.contains(&json!("array")),
            Some(kind) => kind == "array",
            None => false,
        };
        if is_array {
            assert!(schema.contains_key("items"), "{schema:?}");
            arrays += 1;
        }
    });
    assert!(arrays > 100, "{arrays}");
}

/// Code generators derive class names from titles and names, ignoring case and underscores.
#[test]
fn titles_of_schemas_and_names_of_operations_are_unique() {
    let mut names = BTreeSet::new();
    each_object(&document(), &mut |part| {
        for name in ["title", "operationId"] {
            if let Some(Value::String(name)) = part.get(name) {
                let plain = name.to_lowercase().replace('_', "");
                assert!(names.insert(plain), "{name} is not unique");
            }
        }
    });
    assert!(names.len() > 200, "{}", names.len());
}

/// Code generators name a schema without a title after its position, which is the same for all schemas in one `anyOf`.
#[test]
fn objects_in_alternatives_are_schemas_with_names() {
    each_object(&document(), &mut |schema| {
        for alternatives in ["anyOf", "oneOf"] {
            let alternatives = schema.get(alternatives).and_then(Value::as_array);
            let inline = alternatives.into_iter().flatten();
            let inline = inline.filter(|one| one.get("properties").is_some());
            assert!(inline.count() <= 1, "{schema:?}");
        }
    });
}

/// Returns the references of the document, such as `#/components/schemas/Post`.
fn references(document: &Value) -> BTreeSet<String> {
    let mut references = BTreeSet::new();
    each_object(document, &mut |part| {
        if let Some(Value::String(reference)) = part.get("$ref") {
            references.insert(reference.clone());
        }
    });
    references
}

#[test]
fn every_reference_resolves() {
    let document = document();
    for reference in references(&document) {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_schema_and_parameter_is_used() {
    let document = document();
    let references = references(&document);
    for kind in ["schemas", "parameters"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(references.contains(&reference), "{reference}");
        }
    }
}
