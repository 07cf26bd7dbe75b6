//! The tables of keys: for each kind of file its keys, each with its name, aliases, type and meaning, defined once.
//!
//! A table is written as a struct with [`fields!`]; reading a file, checking it and the JSON Schemas are derived from it, so
//! they cannot disagree. Names are compared without regard to case, dashes and underscores, so `feature_image`,
//! `featureImage` and `Feature-Image` are one key. A name with a dot is a path into a table: `cover.image`.

mod choices;
pub(crate) mod description;
mod design;
mod entries;
mod images;
pub(crate) mod json_schema;
mod reader;
mod reference;
mod texts;
mod themes;
mod types;
mod urls;
mod words;

use serde_json::Value as Json;

pub(super) use choices::{choices, read_choice};
pub(super) use design::{DESIGN_KEYS, DesignOptions};
pub(super) use entries::Entries;
pub(super) use images::{Image, ImageDetails};
pub(super) use reader::{DIAGNOSTICS_MAX, Reader};
pub use reference::Reference;
pub(super) use reference::{Referable, nameless};
pub use texts::Texts;
pub(super) use texts::keys_of;
pub(super) use themes::ThemeSettings;
pub use themes::{ThemeValue, ThemeValues};
use types::text_schema;
pub(super) use types::{
    AnyValue, Date, DateOrSwitch, Integer, List, Profile, Text, VisibleFlag, bounded, check_length,
    report_too_many,
};
pub(super) use urls::{FormerUrl, Permalink};
pub(super) use words::{
    Email, Id, ImageUrl, Locale, PageUrl, SiteUrl, Slug, TimeZoneName, Uuid, Word,
};

pub(super) use crate::content_text::key_names::same_name;
use crate::{
    catalog::fields::TextContent,
    content_text::{document::Value, key_names::name_characters},
    domain::newsletter_design::DesignType,
};

/// One key of a file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The field's own name, which takes precedence over its aliases.
    pub name: &'static str,
    /// Aliases in order of precedence.
    pub aliases: &'static [&'static str],
    /// Its description, as written above the field: lines that begin with a blank.
    pub doc: &'static str,
    /// The type of its value.
    value: ValueType,
}

/// The type of a key's value.
#[derive(Clone, Copy, Debug)]
enum ValueType {
    /// A [`FieldType`]: its JSON Schema, and its name in messages.
    Own(fn() -> Json, &'static str),
    /// A text of the table of fields.
    Text(TextContent),
    /// A design option of newsletters.
    Design(DesignType),
}

impl Key {
    /// A placeholder in arrays of keys.
    const NONE: Key = Key {
        name: "",
        aliases: &[],
        doc: "",
        value: ValueType::Text(TextContent::Page),
    };

    /// Creates a row of a table of keys; for [`fields!`].
    pub(super) const fn new<T: FieldType>(
        name: &'static str,
        aliases: &'static [&'static str],
        doc: &'static str,
    ) -> Key {
        Key {
            name,
            aliases,
            doc,
            value: ValueType::Own(T::schema, T::WANTED),
        }
    }

    /// The JSON Schema of its value.
    fn schema(&self) -> Json {
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

    /// Returns the name of its type in messages: "text", "a date".
    fn type_name(&self) -> &'static str {
        match self.value {
            ValueType::Own(_, name) => name,
            ValueType::Text(TextContent::Image) => Image::WANTED,
            ValueType::Text(TextContent::Page | TextContent::Link | TextContent::Website) => {
                <PageUrl as Word>::WANTED
            }
            ValueType::Text(_) | ValueType::Design(_) => Text::<0>::WANTED,
        }
    }

    /// Returns the name and the aliases; the position is the rank among keys that set the same field.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }
}

/// A key of other generators that is accepted and ignored.
#[derive(Debug)]
pub struct Ignored {
    pub name: &'static str,
    /// A warning about the missing effect; `None` if it makes no difference.
    pub warning: Option<&'static str>,
}

/// All keys of one kind of file or table.
#[derive(Debug, Clone, Copy)]
pub struct KeySet {
    pub keys: &'static [&'static [Key]],
    /// Names of required keys, which must not be empty.
    pub required: &'static [&'static str],
    pub ignored: &'static [Ignored],
    /// Tables for custom keys. Known keys in them count as if outside; unknown ones are skipped.
    pub free_tables: &'static [&'static str],
    /// Whether `""` is a value that clears a setting, instead of being ignored.
    pub keeps_empty_text: bool,
    /// Whether a table may have unknown keys, which are not reported.
    pub keeps_other_keys: bool,
}

impl KeySet {
    /// Creates a set of `keys` without special options.
    pub const fn of(keys: &'static [&'static [Key]], required: &'static [&'static str]) -> KeySet {
        KeySet {
            keys,
            required,
            ignored: &[],
            free_tables: &[],
            keeps_empty_text: false,
            keeps_other_keys: false,
        }
    }

    /// Returns every key of the set.
    pub fn all(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().copied().flatten()
    }

    /// Returns the key with the name `written`, with the rank of that name (0 is the key's own).
    fn find(&self, written: &str) -> Option<(&'static Key, usize)> {
        self.all().find_map(|key| {
            let rank = key.names().position(|name| same_name(name, written))?;
            Some((key, rank))
        })
    }

    /// Returns whether `written` is a name of some key.
    pub fn has(&self, written: &str) -> bool {
        self.find(written).is_some()
    }

    /// Returns whether a name of some key is a path into a table called `written`.
    fn reaches_into(&self, written: &str) -> bool {
        let tables = self
            .all()
            .flat_map(Key::names)
            .filter_map(|name| name.split_once('.'));
        tables
            .into_iter()
            .any(|(table, _)| same_name(table, written))
    }

    /// Returns whether `written` is a table for custom keys.
    fn has_free_table(&self, written: &str) -> bool {
        self.free_tables.iter().any(|name| same_name(name, written))
    }

    /// Returns the known name that `written` is most likely a misspelling of.
    fn nearest(&self, written: &str) -> Option<&'static str> {
        let written: String = name_characters(written).collect();
        let length = written.chars().count();
        let tolerance = (length / 3).clamp(1, 3);
        let candidates = self.all().flat_map(Key::names).filter_map(|name| {
            let known: String = name_characters(name).collect();
            let alike = known.len().abs_diff(length) <= tolerance;
            let distance = alike.then(|| strsim::damerau_levenshtein(&known, &written))?;
            (distance <= tolerance).then_some((distance, name))
        });
        candidates
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, name)| name)
    }
}

/// Returns the name of a field without the prefix of raw identifiers (`r#type`).
pub(super) const fn plain(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// Returns whether a name is most likely a misspelling of a known one: a long enough word that differs in one character.
fn is_one_character_away(known: &str, written: &str) -> bool {
    const CHARACTERS_MIN: usize = 4;
    let [known, written]: [String; 2] =
        [known, written].map(|name| name_characters(name).collect());
    written.chars().count() >= CHARACTERS_MIN && strsim::damerau_levenshtein(&known, &written) == 1
}

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

/// Declares the keys of a file as a struct of parsed values.
///
/// `name: Type, or "other" | "names";` becomes a public field `name: Option<Type::Value>` with the comment above it, which
/// is also the key's description in the JSON Schema, and a row of `KEYS`. With `texts of TABLE`, the struct also has the texts
/// of that table of fields.
macro_rules! fields {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident $(with texts of $table:ident)? {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty $(, or $($alias:literal)|+)?;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
        $visibility struct $struct {
            $(
                $(#[doc = $doc])+
                pub $name: Option<<$type as $crate::content_files::keys::FieldType>::Value>,
            )+
            $(
                #[doc = concat!("The texts of `", stringify!($table), "`.")]
                #[serde(flatten)]
                pub texts: $crate::content_files::keys::Texts,
            )?
        }

        impl $struct {
            pub(crate) const KEYS: &'static [$crate::content_files::keys::Key] = &[
                $($crate::content_files::keys::Key::new::<$type>(
                    $crate::content_files::keys::plain(stringify!($name)),
                    &[$($($alias),+)?],
                    concat!($($doc, "\n"),+),
                ),)+
            ];

            pub(crate) fn from_entries(
                entries: &$crate::content_files::keys::Entries<'_>,
                reader: &mut $crate::content_files::keys::Reader<'_>,
            ) -> Self {
                Self {
                    $($name: entries.read::<$type>($crate::content_files::keys::plain(stringify!($name)), reader),)+
                    $(texts: $crate::content_files::keys::Texts::from_entries($table, entries, reader),)?
                }
            }
        }
    };
}
pub(super) use fields;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::content_files::{
        author_file::AuthorFields,
        authors_file,
        keys::{Key, KeySet, name_characters},
        newsletter_file::NewsletterFields,
        post_file, site_file,
        tag_file::TagFields,
        tier_file::TierFields,
    };

    const SETS: [KeySet; 8] = [
        authors_file::SET,
        post_file::SET,
        post_file::OTHER_GENERATOR_SET,
        site_file::SET,
        AuthorFields::SET,
        TagFields::SET,
        TierFields::SET,
        NewsletterFields::SET,
    ];

    #[test]
    fn key_names_are_unique() {
        for set in SETS {
            let mut seen = HashSet::new();
            let ignored = set.ignored.iter().map(|ignored| ignored.name);
            for name in set
                .all()
                .flat_map(Key::names)
                .chain(ignored)
                .chain(set.free_tables.iter().copied())
            {
                assert!(
                    seen.insert(name_characters(name).collect::<String>()),
                    "{name} is used twice"
                );
            }
        }
    }

    #[test]
    fn required_keys_exist() {
        for set in SETS {
            for name in set.required {
                assert!(set.all().any(|key| key.name == *name), "{name}");
            }
        }
    }
}
