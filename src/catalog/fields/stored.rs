//! Setting of texts: the part of a row that changes, content files, imports and exports
//! read.

use std::borrow::Cow;

use crate::{
    catalog::value::Value,
    domain::{OptionalText, setting_value::ADDRESS_CHARACTERS_MAX},
};

/// The content of a text, which determines how the URLs in it are stored and served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextContent {
    /// Text as it is, of at most so many characters.
    Plain(usize),
    /// HTML, of at most so many characters.
    Markup(usize),
    /// The URL of an image.
    Image,
    /// The URL of a page, for readers to follow.
    Page,
    /// The URL of a page, which stays as it was written.
    Link,
    /// The URL of a person's site.
    Website,
    /// The name of an account on another service, or the URL of its page, of at most so many
    /// characters.
    Account(usize),
    /// Text as it is, of at most so many characters; requests may send a number or a boolean.
    Scalar(usize),
}

impl TextContent {
    /// Returns the length of the longest text, in characters.
    pub const fn characters_max(self) -> usize {
        match self {
            Self::Plain(max) | Self::Markup(max) | Self::Account(max) | Self::Scalar(max) => max,
            Self::Image | Self::Page | Self::Link | Self::Website => ADDRESS_CHARACTERS_MAX,
        }
    }
}

/// A text that clients, content files and imports set in records `R`.
#[derive(Debug)]
pub struct StoredText<R: 'static> {
    /// Its name on the wire, in content files and in Ghost's exports.
    pub name: &'static str,
    /// Its content.
    pub content: TextContent,
    /// Its meaning, as the schemas of content files say it.
    pub meaning: &'static str,
    /// The properties that few texts have.
    pub rules: TextRules,
    /// Returns it.
    pub get: for<'a> fn(&'a R) -> Value<'a>,
    /// Sets it. A side record is created only for a text.
    pub set: fn(&mut R, OptionalText),
}

/// The properties that few texts have.
#[derive(Clone, Copy, Debug)]
pub struct TextRules {
    /// Its other names in content files, the first before the next.
    pub aliases: &'static [&'static str],
    /// Other columns of Ghost's exports that hold it.
    pub former_columns: &'static [&'static str],
    /// The setting by the Admin API.
    pub requests: Requests,
    /// True if it is in the side record.
    pub in_side_record: bool,
    /// True if content files have it.
    pub in_files: bool,
}

/// The setting of a text by the Admin API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// A longer text is refused with the field's name.
    Checked,
    /// A text of more than this is refused with the field's name, and a longer one than the table
    /// allows without it (Ghost 6.65, recorded).
    CheckedTwice(usize),
    /// The operation checks it: its errors name no field (Ghost 6.65, recorded).
    CheckedLater,
    /// Not at all.
    Ignored,
}

impl TextRules {
    /// The rules of most texts.
    pub const USUAL: Self = Self {
        aliases: &[],
        former_columns: &[],
        requests: Requests::Checked,
        in_side_record: false,
        in_files: true,
    };

    /// The rules of most texts of a side record.
    pub const SIDE: Self = Self {
        in_side_record: true,
        ..Self::USUAL
    };
}

impl<R> StoredText<R> {
    /// Returns the text in `record`.
    pub fn text<'a>(&self, record: &'a R) -> Option<Cow<'a, str>> {
        match (self.get)(record) {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the columns of Ghost's exports that hold it, the current one first.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> + use<R> {
        let former = self.rules.former_columns.iter().copied();
        [self.name].into_iter().chain(former)
    }

    /// Returns the longest text that a request may have, in characters; `None` if the Admin API
    /// does not set it.
    pub const fn request_characters_max(&self) -> Option<usize> {
        match self.rules.requests {
            Requests::Checked => Some(self.content.characters_max()),
            Requests::CheckedTwice(max) => Some(max),
            Requests::CheckedLater => Some(usize::MAX),
            Requests::Ignored => None,
        }
    }
}
