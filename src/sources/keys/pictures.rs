//! Pictures as other generators describe them: in lists, and in tables with a text for those who do not see them.

use serde_json::Value as Json;

use super::{FieldType, ImageUrl, Reader, Text, same_name};
use crate::sources::{
    document::{Kind, Table, Value},
    source::Spanned,
};

/// The names under which a table says where its picture is, the likeliest first.
const ADDRESS_NAMES: [&str; 9] = [
    "src", "url", "path", "file", "image", "img", "href", "filename", "name",
];

/// The names under which it says what the picture shows.
const ALT_NAMES: [&str; 3] = ["alt", "alttext", "image_alt"];

/// The names under which it says what stands below the picture.
const CAPTION_NAMES: [&str; 4] = ["caption", "title", "credit", "attribution"];

/// The URL of an image. In the files of other generators it may also stand in a list, whose first counts, or in a table.
pub struct Picture;

impl FieldType for Picture {
    type Value = Spanned<String>;
    const WANTED: &'static str = ImageUrl::WANTED_URL;
    const EXAMPLE: &'static str = <ImageUrl as FieldType>::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Spanned<String>> {
        let address = address_of(value).filter(|_| reader.is_lenient());
        match &value.value {
            Kind::List(items) if reader.is_lenient() && !items.is_empty() && address.is_none() => {
                reader.wrong_type::<Self>(value, name);
                None
            }
            // A theme may keep other things than pictures under such a key, and none where there is none.
            Kind::Table(_) | Kind::List(_) | Kind::Boolean(false) if reader.is_lenient() => {
                ImageUrl::read(address?, name, reader)
            }
            _ => ImageUrl::read(value, name, reader),
        }
    }

    fn schema() -> Json {
        ImageUrl::schema()
    }
}

/// The text of an image's address in a list or a table.
fn address_of(value: &Value) -> Option<&Value> {
    match &value.value {
        Kind::Text(text) => (!text.trim().is_empty()).then_some(value),
        Kind::List(items) => items.iter().find_map(address_of),
        Kind::Table(table) => ADDRESS_NAMES
            .iter()
            .find_map(|name| address_of(value_of(table, name)?)),
        _ => None,
    }
}

fn value_of<'t>(table: &'t Table, name: &str) -> Option<&'t Value> {
    let mut entries = table.entries.iter();
    let (_, value) = entries.find(|(key, _)| same_name(&key.value, name))?;
    Some(value)
}

/// What a table says of its picture beside the address.
#[derive(Debug, Default, PartialEq)]
pub struct PictureDetails {
    /// What it shows.
    pub alt: Option<String>,
    /// What stands below it.
    pub caption: Option<String>,
}

impl PictureDetails {
    /// What is said of the picture at `address` by the first table of `table` that has it, or that stands in a list there.
    pub fn of(address: &str, table: &Table, reader: &mut Reader<'_>) -> Self {
        for (key, value) in &table.entries {
            let tables = match &value.value {
                Kind::Table(_) => std::slice::from_ref(value),
                Kind::List(items) => items,
                _ => continue,
            };
            for value in tables {
                let has_it = matches!(address_of(value), Some(Spanned { value: Kind::Text(text), .. }) if text.trim() == address);
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
) -> Option<String> {
    let (name, value) = names.iter().find_map(|name| {
        let value = value_of(table, name)?;
        matches!(&value.value, Kind::Text(text) if !text.trim().is_empty()).then_some((name, value))
    })?;
    Text::<MAX>::read(value, &format!("{key}.{name}"), reader)
}
