//! Structured data: one tree for TOML, YAML and JSON, with the position of every key and value.
//!
//! All parsers limit bytes, depth and (for YAML, whose aliases multiply values) nodes, and never panic. This module does
//! not know particular keys, and converts no types.

mod error;
mod json;
mod limits;
mod recovery;
mod toml;
mod value;
mod yaml;

pub use self::error::DocumentError;
pub use self::limits::DOCUMENT_BYTES_MAX;
pub use self::recovery::RecoveredDocument;
pub use self::value::{Kind, Table, Value};

use super::span::{Span, Spanned};

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

/// Parses the document `text`, which begins at byte `start` of its file. Positions are relative to the file.
pub fn parse(language: Language, text: &str, start: usize) -> Result<Table, DocumentError> {
    let RecoveredDocument { table, problems } = parse_leniently(language, text, start)?;
    // In Galley's own files, what a lenient reader recovers from is an error.
    match problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(table),
    }
}

/// Parses the file of another generator: the last value of a repeated key in YAML or JSON is used.
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
