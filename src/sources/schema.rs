//! JSON Schemas (draft 2020-12) of the content files, made from the tables of keys, so that editors complete and check
//! what the program accepts.
//!
//! They name each key and its other names as the documentation spells them. Beyond that the program also takes other
//! case, dashes and underscores, and in YAML numbers for text, which an editor may underline.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::author_file::AuthorFields;
use super::keys::{Key, KeySet, Referable};
use super::newsletter_file::NewsletterFields;
use super::tag_file::TagFields;
use super::tier_file::TierFields;
use super::{post_file, site_file};

/// Front matter of posts and pages.
pub fn front_matter() -> Json {
    document("Front matter of a post or page", &post_file::SET)
}

/// `site.toml`.
pub fn site() -> Json {
    document("Settings of a site", &site_file::SET)
}

/// A file in `authors/`.
pub fn author() -> Json {
    document("An author", &AuthorFields::SET)
}

/// A file in `tags/`.
pub fn tag() -> Json {
    document("A tag", &TagFields::SET)
}

/// A file in `tiers/`.
pub fn tier() -> Json {
    document("A membership tier", &TierFields::SET)
}

/// A file in `newsletters/`.
pub fn newsletter() -> Json {
    document("A newsletter", &NewsletterFields::SET)
}

/// One key of a content file, for documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDescription {
    /// The key's own name.
    pub name: &'static str,
    /// Its other names; a dot reaches into a table.
    pub other_names: &'static [&'static str],
    /// What it means, in a sentence or two.
    pub meaning: String,
}

/// The keys of front matter, in the order of their table.
pub fn front_matter_keys() -> Vec<KeyDescription> {
    post_file::SET
        .all()
        .map(|key| KeyDescription {
            name: key.name,
            other_names: key.aliases,
            meaning: meaning(key),
        })
        .collect()
}

fn document(title: &str, set: &KeySet) -> Json {
    let mut schema = of_table(set);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    for (name, definition) in [
        (TagFields::DEFINITION, TagFields::definition as fn() -> Json),
        (AuthorFields::DEFINITION, AuthorFields::definition),
    ] {
        if refers_to(&schema, name) {
            schema["$defs"][name] = definition();
        }
    }
    schema
}

fn refers_to(schema: &Json, name: &str) -> bool {
    schema.to_string().contains(&format!("\"#/$defs/{name}\""))
}

/// The JSON Schema of a table with `set`'s keys.
pub(super) fn of_table(set: &KeySet) -> Json {
    let mut properties: Map<String, Json> = set
        .all()
        .map(|key| {
            (
                key.name.to_owned(),
                described((key.schema)(), &meaning(key)),
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

/// That a key is there, under one of its names.
fn required(key: &Key) -> Json {
    let names: Vec<Json> = key
        .names()
        .map(|name| json!({ "required": [name] }))
        .collect();
    json!({ "anyOf": names })
}

/// The keys that stand for others, each with the forms its value may have: that of another name, and that of a table
/// which other names reach into.
fn other_names(set: &KeySet) -> BTreeMap<&'static str, Vec<Json>> {
    let mut names: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for key in set.all() {
        let same = described((key.schema)(), &format!("Another name for `{}`.", key.name));
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

fn meaning(key: &Key) -> String {
    key.doc.trim().replace("\n ", " ")
}
