//! The types of keys' values.

use serde_json::Value as Json;

use crate::{content_files::keys::reader::Reader, content_text::document::Value};

/// The type of a key's value: how it is read, and its schema.
pub trait FieldType {
    /// The parsed value.
    type Value;

    /// The expected type in messages: "text", "a date".
    const WANTED: &'static str;

    /// An example of a value.
    const EXAMPLE: &'static str;

    /// Reads a value; `None` if it is empty or invalid, which is reported to `reader`. `name` is the key as written.
    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Self::Value>;

    /// Returns the JSON Schema of the accepted values.
    fn schema() -> Json;
}
