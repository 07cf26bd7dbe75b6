//! The JSON Schema of a table of keys.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::{Key, KeySet, description::whole_text};

/// Returns the JSON Schema of a table with `set`'s keys.
pub(crate) fn of_table(set: &KeySet) -> Json {
    let mut properties: Map<String, Json> = set
        .all()
        .map(|key| {
            (
                key.name.to_owned(),
                described(key.schema(), &whole_text(key)),
            )
        })
        .collect();
    for (name, mut forms) in other_names(set) {
        let schema = if forms.len() == 1 {
            forms.remove(0)
        } else {
            json!({ "anyOf": forms })
        };
        properties.insert(name.to_owned(), schema);
    }
    for ignored in set.ignored {
        let meaning = ignored.warning.unwrap_or("accepted and not used");
        properties.insert(ignored.name.to_owned(), json!({ "description": meaning }));
    }
    for table in set.free_tables {
        properties.insert(
            (*table).to_owned(),
            json!({ "type": "object", "description": "Keys of your own." }),
        );
    }
    let mut schema =
        json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !set.required.is_empty() {
        schema["allOf"] = set
            .all()
            .filter(|key| set.required.contains(&key.name))
            .map(required)
            .collect();
    }
    schema
}

/// Returns the schema that requires a key, under any of its names.
fn required(key: &Key) -> Json {
    let names: Vec<Json> = key
        .names()
        .map(|name| json!({ "required": [name] }))
        .collect();
    json!({ "anyOf": names })
}

/// Returns the aliases, each with the schemas of its value: that of the key, that of a table with nested aliases, or
/// both.
fn other_names(set: &KeySet) -> BTreeMap<&'static str, Vec<Json>> {
    let mut names: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for key in set.all() {
        let same = described(key.schema(), &format!("Another name for `{}`.", key.name));
        for alias in key.aliases {
            match alias.split_once('.') {
                None => names.entry(alias).or_default().insert(0, same.clone()),
                Some((table, inner)) => {
                    insert_inner(names.entry(table).or_default(), inner, same.clone())
                }
            }
        }
    }
    names
}

fn insert_inner(forms: &mut Vec<Json>, inner: &str, schema: Json) {
    match forms
        .iter_mut()
        .find(|form| form.get("properties").is_some())
    {
        Some(table) => table["properties"][inner] = schema,
        None => forms.push(json!({ "type": "object", "properties": { inner: schema } })),
    }
}

fn described(mut schema: Json, meaning: &str) -> Json {
    schema["description"] = json!(meaning);
    schema
}
