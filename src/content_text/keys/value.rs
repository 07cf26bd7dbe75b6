//! Values of keys, and their comparison.

use serde_json::{Map, Value as Json};

use crate::content_text::document::{Kind, Table};

/// A change of one key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyChange {
    /// The names of the key: its own, then its aliases in order of precedence. `cover.image` is a key in a table. Case,
    /// dashes and underscores are ignored. There is at least one.
    pub names: Vec<String>,
    /// The new value; `None` removes the key.
    pub value: Option<KeyValue>,
}

impl KeyChange {
    /// Returns the key's own name.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValue {
    /// A text.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A date, a time or both, as in RFC 3339. It remains a text if it was one.
    Date(String),
    /// A list.
    List(Vec<KeyValue>),
    /// Keys and values.
    Table(Vec<(String, KeyValue)>),
}

impl KeyValue {
    /// Returns the value as it is read, with dates as texts.
    pub fn json(&self) -> Json {
        match self {
            Self::Text(text) | Self::Date(text) => Json::from(text.as_str()),
            Self::Boolean(is_true) => Json::from(*is_true),
            Self::Integer(number) => Json::from(*number),
            Self::List(items) => items.iter().map(Self::json).collect(),
            Self::Table(entries) => {
                let entries = entries.iter();
                entries
                    .map(|(key, value)| (key.clone(), value.json()))
                    .collect()
            }
        }
    }
}

/// Returns a table for comparison: dates are texts, and numbers other than integers are as written.
pub fn of_table(table: &Table, text: &str) -> Map<String, Json> {
    let entries = table.entries.iter();
    entries
        .map(|(key, value)| {
            let written = text.get(value.span.start..value.span.end);
            let value = of_kind(&value.value, written.unwrap_or_default(), text);
            (key.value.clone(), value)
        })
        .collect()
}

fn of_kind(kind: &Kind, written: &str, text: &str) -> Json {
    match kind {
        Kind::Nothing => Json::Null,
        Kind::Boolean(is_true) => Json::from(*is_true),
        Kind::Integer(number) => Json::from(*number),
        // As written, because equal floats may have different notations. No file has this key.
        Kind::Number => serde_json::json!({ "\0number": written.trim() }),
        Kind::Text(text) | Kind::Date(text) => Json::from(text.as_str()),
        Kind::List(items) => {
            let items = items.iter();
            items
                .map(|item| {
                    let written = text.get(item.span.start..item.span.end);
                    of_kind(&item.value, written.unwrap_or_default(), text)
                })
                .collect()
        }
        Kind::Table(table) => Json::Object(of_table(table, text)),
    }
}
