//! How one file names what another describes: the tags and authors of a post.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{FieldType, Reader, Text};
use crate::sources::document::{Kind, Value};
use crate::sources::source::{Span, Spanned};

/// A tag or an author as a post names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference<T> {
    /// A word that may be the slug or the name.
    Named(String),
    /// A table of fields, some of which tell which one is meant; the others describe it if it is new.
    Described(Box<T>),
}

/// What can be referred to.
pub trait Referable: Sized {
    /// Its name among the definitions of a JSON Schema.
    const DEFINITION: &'static str;
    const WANTED: &'static str;
    const EXAMPLE: &'static str;

    /// A word in the file of another generator without what stands around its text.
    fn bare(word: &str) -> Cow<'_, str> {
        Cow::Borrowed(word)
    }

    /// What a word refers to; none if it says nothing.
    fn named(word: &str, reader: &Reader<'_>) -> Option<Reference<Self>>;

    /// What a table describes, or none if nothing in it tells which one is meant, which is reported.
    fn described(value: &Value, reader: &mut Reader<'_>) -> Option<Self>;

    /// The JSON Schema of such a table.
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

/// Notes that a table does not tell which one it means.
pub fn nameless(place: Span, reader: &mut Reader<'_>) {
    reader.error(
        place,
        "this table does not tell which one is meant",
        "give it a `name` or a `slug`",
    );
}
