//! Setting of texts: the part of a row that changes, content files, imports and exports
//! read.

use std::borrow::Cow;

use super::{Field, FieldType};
use crate::{
    catalog::value::Value,
    domain::{OptionalText, setting_value::ADDRESS_CHARACTERS_MAX, social_meta::SocialMeta},
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

impl<R> Field<R> {
    /// Returns the field of a text.
    pub const fn text(text: StoredText<R>) -> Self {
        let kind = match text.content {
            TextContent::Plain(_) | TextContent::Account(_) | TextContent::Scalar(_) => {
                FieldType::Text
            }
            TextContent::Markup(_) => FieldType::Markup,
            TextContent::Image | TextContent::Page | TextContent::Link | TextContent::Website => {
                FieldType::Address
            }
        };
        let field = Self::optional(text.name, kind, text.get);
        Self {
            in_side_record: text.rules.in_side_record,
            stored: Some(text),
            ..field
        }
    }
}

/// Returns the number of texts in these rows.
pub(super) const fn text_count<R>(groups: &[&[Field<R>]]) -> usize {
    let (mut count, mut group) = (0, 0);
    // Constant functions, here and below, cannot use iterators.
    while group < groups.len() {
        let mut row = 0;
        while row < groups[group].len() {
            count += groups[group][row].stored.is_some() as usize;
            row += 1;
        }
        group += 1;
    }
    count
}

/// Returns the texts in these rows, of which there are `N`.
pub(super) const fn texts<R, const N: usize>(
    groups: &'static [&'static [Field<R>]],
) -> [&'static StoredText<R>; N] {
    let mut texts = None;
    let (mut count, mut group) = (0, 0);
    while group < groups.len() {
        let mut row = 0;
        while row < groups[group].len() {
            if let Some(text) = &groups[group][row].stored {
                let mut all = match texts {
                    Some(all) => all,
                    // A constant function cannot fill an array of references piece by piece without
                    // a first one.
                    None => [text; N],
                };
                all[count] = text;
                texts = Some(all);
                count += 1;
            }
            row += 1;
        }
        group += 1;
    }
    texts.expect("invariant: a table with texts")
}

/// Returns the number of these texts that content files have.
pub(super) const fn count_of_files<R>(texts: &[&StoredText<R>]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < texts.len() {
        count += texts[row].rules.in_files as usize;
        row += 1;
    }
    count
}

/// Returns those of these texts that content files have, of which there are `N`.
pub(super) const fn of_files<R, const N: usize>(
    all: &[&'static StoredText<R>],
) -> [&'static StoredText<R>; N] {
    let mut texts = [all[0]; N];
    let (mut count, mut row) = (0, 0);
    while row < all.len() {
        if all[row].rules.in_files {
            texts[count] = all[row];
            count += 1;
        }
        row += 1;
    }
    texts
}

/// A record with metadata for search engines and social networks.
pub(super) trait HasSocialMeta: Sized {
    /// The rules of its texts.
    const RULES: TextRules;

    /// Returns the metadata, if the record has any.
    fn social(&self) -> Option<&SocialMeta>;

    /// Sets a text of the metadata.
    fn set_social(&mut self, text: OptionalText, field: fn(&mut SocialMeta) -> &mut OptionalText);
}

/// Returns the fields of metadata for search engines and social networks.
pub(super) const fn social_meta<R: HasSocialMeta>() -> [Field<R>; 8] {
    let [og_image, og_title, og_description] = open_graph();
    let [x_image, x_title, x_description] = x_card();
    let [title, description] = search_result();
    [
        og_image,
        og_title,
        og_description,
        x_image,
        x_title,
        x_description,
        title,
        description,
    ]
}

/// Returns the fields for Facebook and others that read Open Graph.
const fn open_graph<R: HasSocialMeta>() -> [Field<R>; 3] {
    [
        Field::text(StoredText {
            name: "og_image",
            content: TextContent::Image,
            meaning: "Image for Facebook and others that read Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_image),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_image),
        }),
        Field::text(StoredText {
            name: "og_title",
            content: TextContent::Plain(300),
            meaning: "Title for Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_title),
        }),
        Field::text(StoredText {
            name: "og_description",
            content: TextContent::Plain(500),
            meaning: "Description for Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_description),
        }),
    ]
}

/// Returns the fields for X.
const fn x_card<R: HasSocialMeta>() -> [Field<R>; 3] {
    [
        Field::text(StoredText {
            name: "twitter_image",
            content: TextContent::Image,
            meaning: "Image for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_image),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_image),
        }),
        Field::text(StoredText {
            name: "twitter_title",
            content: TextContent::Plain(300),
            meaning: "Title for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_title),
        }),
        Field::text(StoredText {
            name: "twitter_description",
            content: TextContent::Plain(500),
            meaning: "Description for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_description),
        }),
    ]
}

/// Returns the fields for search engines.
const fn search_result<R: HasSocialMeta>() -> [Field<R>; 2] {
    [
        Field::text(StoredText {
            name: "meta_title",
            content: TextContent::Plain(300),
            meaning: "Title for search engines.",
            rules: TextRules {
                aliases: &["seo_title"],
                ..R::RULES
            },
            get: |record| social(record, |meta| &meta.meta_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.meta_title),
        }),
        Field::text(StoredText {
            name: "meta_description",
            content: TextContent::Plain(500),
            meaning: "Description for search engines.",
            rules: TextRules {
                aliases: &["seo_description"],
                ..R::RULES
            },
            get: |record| social(record, |meta| &meta.meta_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.meta_description),
        }),
    ]
}

fn social<R: HasSocialMeta>(record: &R, get: fn(&SocialMeta) -> &OptionalText) -> Value<'_> {
    Value::optional_text(record.social().and_then(|meta| get(meta).as_deref()))
}
