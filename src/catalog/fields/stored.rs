//! Texts that can be set: the part of a row that changes, content files, imports and exports use.

use std::borrow::Cow;

use crate::{
    catalog::value::Value,
    domain::{OptionalText, setting_value::URL_CHARACTERS_MAX},
};

/// The content of a text, which determines how the URLs in it are stored and served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextContent {
    /// Plain text of at most this many characters.
    Plain(usize),
    /// HTML of at most this many characters.
    Markup(usize),
    /// The URL of an image.
    Image,
    /// The URL of a page, for readers to follow.
    Page,
    /// The URL of a page, which is stored unchanged.
    Link,
    /// The URL of a person's website.
    Website,
    /// The name of an account on another service, or the URL of its page, of at most this many
    /// characters.
    Account(usize),
    /// Plain text of at most this many characters. Requests may also send a number or a boolean.
    Scalar(usize),
}

impl TextContent {
    /// Returns the length of the longest text, in characters.
    pub const fn characters_max(self) -> usize {
        match self {
            Self::Plain(max) | Self::Markup(max) | Self::Account(max) | Self::Scalar(max) => max,
            Self::Image | Self::Page | Self::Link | Self::Website => URL_CHARACTERS_MAX,
        }
    }
}

/// A text that clients, content files and imports can set in records `R`.
#[derive(Debug)]
pub struct StoredText<R: 'static> {
    /// Its name on the wire, in content files and in Ghost's exports.
    pub name: &'static str,
    /// Its content.
    pub content: TextContent,
    /// Its description in the schemas of content files.
    pub meaning: &'static str,
    /// The rules that differ between texts.
    pub rules: TextRules,
    /// Returns the text in a record.
    pub get: for<'a> fn(&'a R) -> Value<'a>,
    /// Sets the text in a record. Missing metadata is created only for a value.
    pub set: fn(&mut R, OptionalText),
}

/// The rules that differ between texts.
#[derive(Clone, Copy, Debug)]
pub struct TextRules {
    /// Other names of the text in content files, in order of precedence.
    pub aliases: &'static [&'static str],
    /// Other columns of Ghost's exports that contain the text.
    pub former_columns: &'static [&'static str],
    /// The handling in requests of the Admin API.
    pub requests: Requests,
    /// True if the text is part of metadata that may be missing.
    pub in_side_record: bool,
    /// True if content files can set the text.
    pub in_files: bool,
}

/// The handling of a text in requests of the Admin API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// A text that is too long is rejected with an error that names the field.
    Checked,
    /// A text of more than this many characters is rejected with an error that names the field. A
    /// shorter text that exceeds the limit in the table is rejected with an error that does not
    /// name it (Ghost 6.65, recorded).
    CheckedTwice(usize),
    /// The operation checks the text; its errors name no field (Ghost 6.65, recorded).
    CheckedLater,
    /// The text is ignored.
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

    /// The rules of most texts in metadata that may be missing.
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

    /// Returns the columns of Ghost's exports that contain the text, the current one first.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> + use<R> {
        let former = self.rules.former_columns.iter().copied();
        [self.name].into_iter().chain(former)
    }

    /// Returns the maximum length of the text in a request, in characters; `None` if the Admin API
    /// ignores the text.
    pub const fn request_characters_max(&self) -> Option<usize> {
        match self.rules.requests {
            Requests::Checked => Some(self.content.characters_max()),
            Requests::CheckedTwice(max) => Some(max),
            Requests::CheckedLater => Some(usize::MAX),
            Requests::Ignored => None,
        }
    }
}
