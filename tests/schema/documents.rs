//! Tests of `schema/`: each document is up to date and a valid schema, and the sample site conforms to it.

use std::{fs, path::Path};

use galley::{api::openapi, config, content_files::schema};
use serde_json::Value;

use crate::{assert_committed, in_repository};

fn assert_document(name: &str, document: &Value) {
    let text = serde_json::to_string_pretty(document).unwrap();
    assert_committed(&format!("schema/{name}"), &format!("{text}\n"));
}

#[test]
fn committed_schemas_are_up_to_date() {
    for (name, document) in [
        ("front-matter.schema.json", schema::front_matter()),
        ("site.schema.json", schema::site()),
        ("author.schema.json", schema::author()),
        ("tag.schema.json", schema::tag()),
        ("tier.schema.json", schema::tier()),
        ("newsletter.schema.json", schema::newsletter()),
        ("galley.schema.json", config::schema::document()),
    ] {
        jsonschema::meta::validate(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_document(name, &document);
    }
    assert_document("openapi.json", &openapi::document());
}

#[test]
fn files_of_the_sample_site_conform_to_their_schemas() {
    assert_fits("content/site.toml", &schema::site());
    for (folder, document) in [
        ("content/authors", schema::author()),
        ("content/tags", schema::tag()),
        ("content/tiers", schema::tier()),
        ("content/newsletters", schema::newsletter()),
    ] {
        for path in toml_files(folder) {
            assert_fits(&path, &document);
        }
    }
}

fn toml_files(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(in_repository(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: Vec<String> = names
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "toml"))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    assert!(!files.is_empty(), "{folder} has no TOML files");
    files
}

fn assert_fits(path: &str, schema: &Value) {
    let table: toml::Table = crate::read(path).parse().unwrap();
    let problems: Vec<String> = jsonschema::validator_for(schema)
        .unwrap()
        .iter_errors(&as_editors_see_it(toml::Value::Table(table)))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{path}: {problems:#?}");
}

/// Converts TOML to JSON. Dates become text, as in the validators of editors.
fn as_editors_see_it(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(date) => Value::String(date.to_string()),
        toml::Value::Array(items) => items.into_iter().map(as_editors_see_it).collect(),
        toml::Value::Table(table) => table
            .into_iter()
            .map(|(key, value)| (key, as_editors_see_it(value)))
            .collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}

#[test]
fn misspelt_configuration_key_does_not_conform() {
    let schema = jsonschema::validator_for(&config::schema::document()).unwrap();
    let fits = |value: Value| schema.is_valid(&value);
    assert!(fits(
        serde_json::json!({"listen": "127.0.0.1:80", "server": {"body_kb": 64}})
    ));
    assert!(!fits(serde_json::json!({"listn": "127.0.0.1:80"})));
    assert!(!fits(serde_json::json!({"server": {"body_kb": "64"}})));
}
