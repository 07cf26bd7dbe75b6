//! The values of documents, with their positions.

use serde_json::{Map, Value as Json};

use crate::content_text::span::{Span, Spanned};

pub type Value = Spanned<Kind>;

/// The type and content of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A key without a value, in YAML and JSON.
    Nothing,
    Boolean(bool),
    Integer(i64),
    /// A fraction, or a whole number that does not fit into 64 bits.
    Number,
    Text(String),
    /// TOML only: a date, a time or both, as written in RFC 3339. Dates of YAML are text.
    Date(String),
    List(Vec<Value>),
    Table(Table),
}

impl Kind {
    /// Converts a value that is not in the file. A number becomes text, because `span` does not contain its
    /// notation.
    fn of_json(value: &Json, span: Span) -> Kind {
        let at_span = |value| Spanned::new(Kind::of_json(value, span), span);
        match value {
            Json::Null => Kind::Nothing,
            Json::Bool(boolean) => Kind::Boolean(*boolean),
            Json::Number(number) => Kind::Text(number.to_string()),
            Json::String(text) => Kind::Text(text.clone()),
            Json::Array(items) => Kind::List(items.iter().map(at_span).collect()),
            Json::Object(object) => {
                let mut table = Table::default();
                table.complete(object, span);
                Kind::Table(table)
            }
        }
    }

    /// Returns the type's name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Nothing => "empty",
            Kind::Boolean(_) => "true or false",
            Kind::Integer(_) => "a whole number",
            Kind::Number => "a number",
            Kind::Text(_) => "text",
            Kind::Date(_) => "a date",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
        }
    }
}

/// Keys and values, in the order of the parser.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub entries: Vec<(Spanned<String>, Value)>,
}

impl Table {
    /// Adds the `defaults` of missing keys, also in nested tables, with `span` as their position.
    pub fn complete(&mut self, defaults: &Map<String, Json>, span: Span) {
        for (key, value) in defaults {
            let mut entries = self.entries.iter_mut();
            match (entries.find(|(known, _)| known.value == *key), value) {
                (None, value) => {
                    let key = Spanned::new(key.clone(), span);
                    let value = Spanned::new(Kind::of_json(value, span), span);
                    self.entries.push((key, value));
                }
                (Some((_, known)), Json::Object(defaults)) => {
                    if let Kind::Table(table) = &mut known.value {
                        table.complete(defaults, span);
                    }
                }
                _ => {}
            }
        }
    }
}
