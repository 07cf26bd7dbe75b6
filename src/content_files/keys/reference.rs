//! References of one file to the record of another: the tags and authors of a post.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    content_files::keys::{FieldType, Reader, Text},
    content_text::{
        Span, Spanned,
        document::{Kind, Value},
    },
};

/// A reference to a tag or an author in a post.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference<T> {
    /// A slug or a name.
    Named(String),
    /// A table of fields, some of which identify the record; the others describe it if it is new.
    Described(Box<T>),
}

/// A record that posts can refer to.
pub trait Referable: Sized {
    /// Its name among the definitions of a JSON Schema.
    const DEFINITION: &'static str;
    const WANTED: &'static str;
    const EXAMPLE: &'static str;

    /// Returns the text of a word in the file of another generator without its markup.
    fn bare(word: &str) -> Cow<'_, str> {
        Cow::Borrowed(word)
    }

    /// Parses a word as a reference; `None` if it is empty.
    fn named(word: &str, reader: &Reader<'_>) -> Option<Reference<Self>>;

    /// Parses a table as a reference, or reports that no field identifies the record.
    fn described(value: &Value, reader: &mut Reader<'_>) -> Option<Self>;

    /// Returns the JSON Schema of such a table.
    fn definition() -> Json;
}

impl<T: Referable> FieldType for Reference<T> {
    type Value = Spanned<Reference<T>>;
    const WANTED: &'static str = T::WANTED;
    const EXAMPLE: &'static str = T::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Self::Value> {
        let reference = match &value.value {
            Kind::Table(_) => Reference::Described(Box::new(T::described(value, reader)?)),
            Kind::List(_) => {
                reader.wrong_type::<Self>(value, name);
                return None;
            }
            _ => {
                let bare = match &value.value {
                    Kind::Text(word) if reader.is_lenient() => {
                        let bare = T::bare(word).into_owned();
                        Some(Spanned::new(Kind::Text(bare), value.span))
                    }
                    _ => None,
                };
                let word = Text::<191>::read(bare.as_ref().unwrap_or(value), name, reader)?;
                T::named(word.trim(), reader)?
            }
        };
        Some(Spanned::new(reference, value.span))
    }

    fn schema() -> Json {
        let table = format!("#/$defs/{}", T::DEFINITION);
        json!({ "anyOf": [{ "type": "string", "maxLength": 191 }, { "$ref": table }] })
    }
}

/// Reports that no field of a table identifies the record.
pub fn nameless(span: Span, reader: &mut Reader<'_>) {
    reader.error(
        span,
        "this table does not identify a record",
        "give it a `name` or a `slug`",
    );
}
