//! The design options of a newsletter's mails, whose keys are in the table of the options.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    content_files::keys::{
        Email, Entries, FieldType, Image, ImageUrl, Key, Reader, Text,
        choices::choice_of,
        key::ValueType,
        types::{read_text, text_schema},
    },
    content_text::{Spanned, document::Value},
    domain::newsletter_design::{COLOUR_CHARACTERS_MAX, DESIGN, DesignType},
};

/// The options of a file, by their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DesignOptions(BTreeMap<&'static str, Spanned<Json>>);

/// The keys of the options.
pub(crate) const DESIGN_KEYS: &[Key] = &{
    let mut keys = [Key::NONE; DESIGN.len()];
    let mut row = 0;
    while row < DESIGN.len() {
        keys[row] = Key {
            name: DESIGN[row].name,
            aliases: &[],
            doc: DESIGN[row].meaning,
            value: ValueType::Design(DESIGN[row].kind),
        };
        row += 1;
    }
    keys
};

impl DesignOptions {
    /// Reads the options.
    pub(crate) fn from_entries(entries: &Entries<'_>, reader: &mut Reader<'_>) -> Self {
        let options = DESIGN.iter().filter_map(|choice| {
            let option = entries.first_usable(choice.name, |value, written| {
                let option = read(choice.kind, value, written, reader)?;
                Some(Spanned::new(option, value.span))
            });
            Some((choice.name, option?))
        });
        Self(options.collect())
    }

    /// Returns the option called `name`, with its position.
    pub(crate) fn get(&self, name: &str) -> Option<&Spanned<Json>> {
        self.0.get(name)
    }
}

fn read(kind: DesignType, value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Json> {
    match kind {
        DesignType::Switch(_) => bool::read(value, name, reader).map(Json::from),
        DesignType::Choice(words) => {
            let Some(text) = reader.text(value) else {
                // Only the name of the type is used, so its maximum is irrelevant.
                reader.wrong_type::<Text<0>>(value, name);
                return None;
            };
            let words = words.iter().map(|word| (*word, *word));
            choice_of(&text, value.span, name, words, reader).map(Json::from)
        }
        DesignType::Image(_) => Image::read(value, name, reader).map(|url| url.value.into()),
        DesignType::Colour(_) => {
            read_text(COLOUR_CHARACTERS_MAX, value, name, reader).map(Json::from)
        }
        DesignType::Text(max) | DesignType::Markup(max) => {
            read_text(max, value, name, reader).map(Json::from)
        }
        DesignType::ReplyTo => {
            let reply_to = read_text(ADDRESS_CHARACTERS_MAX, value, name, reader)?;
            if !matches!(&*reply_to, "" | "newsletter" | "support") && !Email::fits(&reply_to) {
                reader.error(
                    value.span,
                    format!("`{name}` may not be `{reply_to}`"),
                    "write newsletter, support or an e-mail address",
                );
                return None;
            }
            Some(reply_to.into())
        }
    }
}

/// Maximum length of the reply-to address, in characters.
const ADDRESS_CHARACTERS_MAX: usize = 191;

/// Returns the JSON Schema of the values of an option.
pub(super) fn schema(kind: DesignType) -> Json {
    match kind {
        DesignType::Switch(_) => bool::schema(),
        DesignType::Choice(words) => json!({ "enum": words }),
        DesignType::Image(_) => ImageUrl::schema(),
        DesignType::Colour(_) => text_schema(COLOUR_CHARACTERS_MAX),
        DesignType::Text(max) | DesignType::Markup(max) => text_schema(max),
        DesignType::ReplyTo => text_schema(ADDRESS_CHARACTERS_MAX),
    }
}
