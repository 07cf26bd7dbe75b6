//! The descriptions of keys in the documentation: type, limit, default and meaning, from the tables of keys.
//!
//! A default that does not follow from the type is the last sentence of the comment above the key: "Default: …".

use serde_json::Value as Json;

use crate::content_files::keys::{Key, KeySet};

/// One key of a content file, for documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDescription {
    /// The key's own name.
    pub name: &'static str,
    /// Its aliases; a dot is a path into a table.
    pub other_names: &'static [&'static str],
    /// The type of its value: "date", or the permitted words.
    pub value_type: String,
    /// The longest accepted value; empty if the type has no limit.
    pub limit: String,
    /// The value of a file without the key.
    pub default: String,
    /// Its description, a sentence.
    pub meaning: String,
}

impl KeyDescription {
    /// Returns the description of a key of `set`.
    pub(crate) fn of(key: &Key, set: &KeySet) -> Self {
        let (schema, text) = (key.schema(), whole_text(key));
        let (meaning, default) = match text.split_once(" Default: ") {
            Some((meaning, default)) => (meaning, default.trim_end_matches('.')),
            None if set.required.contains(&key.name) => (text.as_str(), "required"),
            None if schema["type"] == "boolean" => (text.as_str(), "`false`"),
            None => (text.as_str(), "none"),
        };
        Self {
            name: key.name,
            other_names: key.aliases,
            value_type: value_type(key, &schema),
            limit: limit(&schema),
            default: default.to_owned(),
            meaning: meaning.to_owned(),
        }
    }
}

/// Returns the comment above a key, in one line.
pub(super) fn whole_text(key: &Key) -> String {
    key.doc.trim().replace("\n ", " ")
}

fn value_type(key: &Key, schema: &Json) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words = words.iter().filter_map(Json::as_str);
        let quoted: Vec<String> = words.map(|word| format!("`{word}`")).collect();
        return quoted.join(", ");
    }
    let name = key.type_name();
    let name = name.strip_prefix("a ").unwrap_or(name);
    let name = name.strip_prefix("the ").unwrap_or(name);
    name.strip_prefix("valid ").unwrap_or(name).to_owned()
}

/// Returns the limits of a value, or of a list and of each of its entries.
fn limit(schema: &Json) -> String {
    let list = &schema["anyOf"][0];
    let of_characters = |schema: &Json| schema["maxLength"].as_u64().map(with_commas);
    match (list["maxItems"].as_u64(), of_characters(schema)) {
        (Some(entries), _) => format!("{} entries", with_commas(entries)),
        (None, Some(characters)) => format!("{characters} characters"),
        (None, None) => String::new(),
    }
}

/// Returns a number with commas between groups of three digits.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}
