//! The JSON Schemas and names of keys' types. Separate from `key`, on which the types depend.

use serde_json::Value as Json;

use crate::{
    catalog::fields::TextContent,
    content_files::keys::{
        design,
        field_type::FieldType,
        images::Image,
        key::{Key, ValueType},
        types::{Text, text_schema},
        words::{PageUrl, Word},
    },
};

impl Key {
    /// Returns the JSON Schema of the key's value.
    pub(super) fn schema(&self) -> Json {
        match self.value {
            ValueType::Own(schema, _) => schema(),
            ValueType::Design(kind) => design::schema(kind),
            ValueType::Text(TextContent::Image) => Image::schema(),
            ValueType::Text(TextContent::Page | TextContent::Link | TextContent::Website) => {
                PageUrl::schema()
            }
            ValueType::Text(text) => text_schema(text.characters_max()),
        }
    }

    /// Returns the name of the key's type in messages: "text", "a date".
    pub(super) fn type_name(&self) -> &'static str {
        match self.value {
            ValueType::Own(_, name) => name,
            ValueType::Text(TextContent::Image) => Image::WANTED,
            ValueType::Text(TextContent::Page | TextContent::Link | TextContent::Website) => {
                <PageUrl as Word>::WANTED
            }
            ValueType::Text(_) | ValueType::Design(_) => Text::<0>::WANTED,
        }
    }
}
