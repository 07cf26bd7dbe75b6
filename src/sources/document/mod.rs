//! Structured data as written: one tree for TOML and YAML, every key and value with its place.
//!
//! Both parsers are bounded in bytes, depth and (YAML, whose aliases multiply) nodes, and never panic. Nothing here knows
//! which keys mean what; nothing here converts a value to another type.

mod toml;
mod yaml;

use super::source::{Span, Spanned};

/// Largest front matter or data file, in bytes. Two code injections of full length fit several times.
pub const DOCUMENT_BYTES_MAX: usize = 1024 * 1024;
/// Deepest nesting of lists and tables.
const DEPTH_MAX: usize = 32;
/// Most that a document may hold once YAML aliases are replaced by what they stand for, in bytes: the text, and
/// [`VALUE_BYTES`] for each key and value.
const CONTENT_BYTES_MAX: usize = 4 * DOCUMENT_BYTES_MAX;
const VALUE_BYTES: usize = 16;

/// The two languages of front matter and data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Toml,
    Yaml,
}

impl Language {
    /// How `key` is set to `value` in this language.
    pub fn assignment(self, key: &str, value: &str) -> String {
        match self {
            Language::Toml => format!("{key} = {value}"),
            Language::Yaml => format!("{key}: {value}"),
        }
    }
}

pub type Value = Spanned<Kind>;

/// What a value is, by its own syntax.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// YAML only: a key without a value.
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

/// Why a document cannot be read, and where.
#[derive(Debug)]
pub struct Malformed {
    pub span: Span,
    pub message: String,
    pub advice: &'static str,
}

impl Malformed {
    fn new(span: Span, message: impl Into<String>, advice: &'static str) -> Malformed {
        Malformed {
            span,
            message: message.into(),
            advice,
        }
    }
}

/// Reads the document `text`, which begins at byte `start` of its file. Places are positions in the file.
pub fn parse(language: Language, text: &str, start: usize) -> Result<Table, Malformed> {
    if text.len() > DOCUMENT_BYTES_MAX {
        let message = format!(
            "the settings of a file may have {} KiB at most",
            DOCUMENT_BYTES_MAX / 1024
        );
        return Err(Malformed::new(
            Span::new(start, start),
            message,
            "move long text into the body of the file",
        ));
    }
    match language {
        Language::Toml => toml::parse(text, start),
        Language::Yaml => yaml::parse(text, start),
    }
}
