//! Structured data: one tree for TOML, YAML and JSON, with the position of every key and value.
//!
//! All parsers are bounded in bytes, depth and (YAML, whose aliases multiply) nodes, and never panic. This module knows no
//! keys and converts no types.

mod json;
mod toml;
mod yaml;

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::span::{Span, Spanned};

/// Largest front matter or data file, in bytes. Two code injections of full length fit several times.
pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;
/// Deepest nesting of lists and tables.
const DEPTH_MAX: usize = 32;
/// Maximum size of a document after expansion of YAML aliases, in bytes: its text, and [`VALUE_BYTES`] for each key and
/// value.
const CONTENT_BYTES_MAX: usize = 4 * DOCUMENT_BYTES_MAX;
const VALUE_BYTES: usize = 16;
/// Maximum number of repeated keys that are reported.
const PROBLEMS_MAX: usize = 100;

/// The languages of front matter and data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// TOML 1.1.
    Toml,
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
}

impl Language {
    /// Returns the notation of `key` set to `value` in this language.
    pub fn assignment(self, key: &str, value: &str) -> String {
        match self {
            Language::Toml => format!("{key} = {value}"),
            Language::Yaml => format!("{key}: {value}"),
            Language::Json => format!("\"{key}\": {value}"),
        }
    }
}

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
    /// Converts a value that is not in the file. A number becomes text, as `span` does not show its notation.
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

    /// The type's name in messages.
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
    /// Adds the `defaults` of missing keys, also in tables within, with `span` as their position.
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

/// A syntax error and its position.
#[derive(Debug)]
pub struct DocumentError {
    pub span: Span,
    pub message: String,
    pub advice: &'static str,
    /// The way a lenient reader handles the error.
    pub remedy: &'static str,
}

impl DocumentError {
    fn new(span: Span, message: impl Into<String>, advice: &'static str) -> DocumentError {
        DocumentError {
            span,
            message: message.into(),
            advice,
            remedy: "",
        }
    }

    /// Returns the message of a lenient reader.
    pub fn remark(&self) -> String {
        format!("{}{}", self.message, self.remedy)
    }
}

/// A document that was parsed in spite of errors.
#[derive(Debug, Default)]
pub struct RecoveredDocument {
    pub table: Table,
    /// The errors that the parser recovered from.
    pub problems: Vec<DocumentError>,
}

/// Parses the document `text`, which begins at byte `start` of its file. Positions are relative to the file.
pub fn parse(language: Language, text: &str, start: usize) -> Result<Table, DocumentError> {
    let RecoveredDocument { table, problems } = parse_leniently(language, text, start)?;
    match problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(table),
    }
}

/// Parses the file of another generator: the last value of a repeated key in YAML or JSON counts.
pub fn parse_leniently(
    language: Language,
    text: &str,
    start: usize,
) -> Result<RecoveredDocument, DocumentError> {
    if text.len() > DOCUMENT_BYTES_MAX {
        let message = format!(
            "the keys of a file may have {} KiB at most",
            DOCUMENT_BYTES_MAX / 1024
        );
        return Err(DocumentError::new(
            Span::new(start, start),
            message,
            "move long text into the body of the file",
        ));
    }
    match language {
        Language::Toml => toml::parse(text, start).map(|table| RecoveredDocument {
            table,
            problems: Vec::new(),
        }),
        Language::Yaml => yaml::parse(text, start),
        Language::Json => json::parse(text, start),
    }
}

/// Collects keys and values into tables, each key once.
#[derive(Default)]
struct Collector {
    /// Repeated keys, and keys that are not words.
    problems: Vec<DocumentError>,
}

impl Collector {
    /// Adds a value to `table`, replacing an earlier one of the same key.
    fn add(
        &mut self,
        table: &mut Table,
        seen: &mut HashMap<String, usize>,
        key: Spanned<String>,
        value: Value,
    ) {
        let Some(index) = seen.get(&key.value) else {
            seen.insert(key.value.clone(), table.entries.len());
            table.entries.push((key, value));
            return;
        };
        if self.problems.len() < PROBLEMS_MAX {
            let message = format!("`{}` is given twice", key.value);
            let problem = DocumentError {
                remedy: "; the last one is used",
                ..DocumentError::new(key.span, message, "remove one of the two")
            };
            self.problems.push(problem);
        }
        table.entries[*index] = (key, value);
    }

    /// Reports a key that is a list or a table, such as the `{{ title }}` of a template without quotes.
    fn leave_out_key(&mut self, span: Span) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(DocumentError {
                remedy: "; this one is left out",
                ..DocumentError::new(span, "a key must be text", "put it in quotes")
            });
        }
    }
}

/// Returns a table of front matter as JSON.
pub fn json_of(table: &Table) -> serde_json::Map<String, serde_json::Value> {
    let value = |(key, value): &(Spanned<String>, self::Value)| {
        (key.value.clone(), json_of_kind(&value.value))
    };
    table.entries.iter().map(value).collect()
}

fn json_of_kind(kind: &Kind) -> serde_json::Value {
    match kind {
        Kind::Nothing | Kind::Number => serde_json::Value::Null,
        Kind::Boolean(is_true) => serde_json::json!(is_true),
        Kind::Integer(number) => serde_json::json!(number),
        Kind::Text(text) | Kind::Date(text) => serde_json::json!(text),
        Kind::List(values) => values
            .iter()
            .map(|value| json_of_kind(&value.value))
            .collect(),
        Kind::Table(table) => serde_json::Value::Object(json_of(table)),
    }
}
