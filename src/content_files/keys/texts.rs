//! The texts of a file whose keys are in the table of its record's fields.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    catalog::fields::{StoredText, TextContent},
    content_files::keys::{
        Entries, FieldType, Image, Key, PageUrl, Reader,
        key::ValueType,
        types::{read_account, read_text},
    },
    content_text::{Spanned, document::Value},
};

/// Texts of a file, by the names of their fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Texts(BTreeMap<&'static str, Spanned<String>>);

/// Returns the keys of `texts`.
pub(crate) const fn keys_of<R, const N: usize>(texts: &[&StoredText<R>]) -> [Key; N] {
    let mut keys = [Key::NONE; N];
    let mut row = 0;
    while row < N {
        keys[row] = Key {
            name: texts[row].name,
            aliases: texts[row].rules.aliases,
            doc: texts[row].meaning,
            value: ValueType::Text(texts[row].content),
        };
        row += 1;
    }
    keys
}

impl Texts {
    /// Reads the texts of `table`.
    pub(crate) fn from_entries<R>(
        table: &[&'static StoredText<R>],
        entries: &Entries<'_>,
        reader: &mut Reader<'_>,
    ) -> Self {
        let read = |text: &&'static StoredText<R>| {
            let value = entries.first_usable(text.name, |value, written| {
                read(text.content, value, written, reader)
            })?;
            Some((text.name, value))
        };
        Self(table.iter().filter_map(read).collect())
    }

    /// Returns the text called `name`, with its position.
    pub fn get(&self, name: &str) -> Option<&Spanned<String>> {
        self.0.get(name)
    }

    /// Sets the text called `name`, unless the file has it.
    pub(crate) fn complete(&mut self, name: &'static str, text: Option<Spanned<String>>) {
        if let Some(text) = text {
            self.0.entry(name).or_insert(text);
        }
    }

    /// Removes the text called `name`.
    pub(crate) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }
}

fn read(
    content: TextContent,
    value: &Value,
    name: &str,
    reader: &mut Reader<'_>,
) -> Option<Spanned<String>> {
    let text = match content {
        TextContent::Plain(max) | TextContent::Markup(max) | TextContent::Scalar(max) => {
            read_text(max, value, name, reader)?
        }
        TextContent::Account(max) => read_account(max, value, name, reader)?,
        TextContent::Image => return Image::read(value, name, reader),
        TextContent::Page | TextContent::Link | TextContent::Website => {
            return PageUrl::read(value, name, reader);
        }
    };
    Some(Spanned::new(text, value.span))
}
