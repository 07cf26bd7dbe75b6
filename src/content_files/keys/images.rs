//! Images in the formats of other generators: in lists, and in tables with alternative text.

use serde_json::Value as Json;

use crate::{
    content_files::keys::{FieldType, ImageUrl, Reader, Text, same_name},
    content_text::{
        Spanned,
        document::{Kind, Table, Value},
    },
};

/// Keys of the image URL in a table, in order of preference.
const ADDRESS_NAMES: [&str; 9] = [
    "src", "url", "path", "file", "image", "img", "href", "filename", "name",
];

/// Keys of the alternative text.
const ALT_NAMES: [&str; 3] = ["alt", "alttext", "image_alt"];

/// Keys of the caption.
const CAPTION_NAMES: [&str; 4] = ["caption", "title", "credit", "attribution"];

/// The URL of an image. In the files of other generators it may also be in a list, whose first item is used, or in a table.
pub struct Image;

impl FieldType for Image {
    type Value = Spanned<String>;
    const WANTED: &'static str = ImageUrl::WANTED_URL;
    const EXAMPLE: &'static str = <ImageUrl as FieldType>::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Spanned<String>> {
        let url = url_of(value).filter(|_| reader.is_lenient());
        match &value.value {
            Kind::List(items) if reader.is_lenient() && !items.is_empty() && url.is_none() => {
                reader.wrong_type::<Self>(value, name);
                None
            }
            // Themes may use such a key for other values, or for none.
            Kind::Table(_) | Kind::List(_) | Kind::Boolean(false) if reader.is_lenient() => {
                ImageUrl::read(url?, name, reader)
            }
            _ => ImageUrl::read(value, name, reader),
        }
    }

    fn schema() -> Json {
        ImageUrl::schema()
    }
}

/// Returns the URL of an image in a list or a table.
fn url_of(value: &Value) -> Option<&Value> {
    match &value.value {
        Kind::Text(text) => (!text.trim().is_empty()).then_some(value),
        Kind::List(items) => items.iter().find_map(url_of),
        Kind::Table(table) => ADDRESS_NAMES
            .iter()
            .find_map(|name| url_of(value_of(table, name)?)),
        _ => None,
    }
}

fn value_of<'t>(table: &'t Table, name: &str) -> Option<&'t Value> {
    let mut entries = table.entries.iter();
    let (_, value) = entries.find(|(key, _)| same_name(&key.value, name))?;
    Some(value)
}

/// The details of an image in a table.
#[derive(Debug, Default, PartialEq)]
pub struct ImageDetails {
    /// The alternative text.
    pub alt: Option<Spanned<String>>,
    /// The caption.
    pub caption: Option<Spanned<String>>,
}

impl ImageDetails {
    /// Returns the details of the image at `url` in the first table of `table` that contains it, directly or in a list.
    pub fn of(url: &str, table: &Table, reader: &mut Reader<'_>) -> Self {
        for (key, value) in &table.entries {
            let tables = match &value.value {
                Kind::Table(_) => std::slice::from_ref(value),
                Kind::List(items) => items,
                _ => continue,
            };
            for value in tables {
                let has_it = matches!(url_of(value), Some(Spanned { value: Kind::Text(text), .. }) if text.trim() == url);
                if let (Kind::Table(inner), true) = (&value.value, has_it) {
                    return Self {
                        alt: text_of::<191>(inner, &key.value, &ALT_NAMES, reader),
                        caption: text_of::<65535>(inner, &key.value, &CAPTION_NAMES, reader),
                    };
                }
            }
        }
        Self::default()
    }
}

fn text_of<const MAX: usize>(
    table: &Table,
    key: &str,
    names: &[&str],
    reader: &mut Reader<'_>,
) -> Option<Spanned<String>> {
    let (name, value) = names.iter().find_map(|name| {
        let value = value_of(table, name)?;
        matches!(&value.value, Kind::Text(text) if !text.trim().is_empty()).then_some((name, value))
    })?;
    let text = Text::<MAX>::read(value, &format!("{key}.{name}"), reader)?;
    Some(Spanned::new(text, value.span))
}
