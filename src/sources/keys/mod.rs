//! The table of keys: for each kind of file its keys, each with its name, other names, type and meaning, stated once.
//!
//! A table is written as a struct with [`fields!`]; reading a file, checking it and the JSON Schemas all come from it, so
//! they cannot disagree. Names are compared without regard to case, dashes and underscores, so `feature_image`,
//! `featureImage` and `Feature-Image` are one key. A name with a dot reaches into a table: `cover.image`.

mod choices;
mod entries;
pub(in crate::sources) mod json_schema;
mod pictures;
mod places;
mod reader;
mod reference;
mod rules;
mod types;
mod words;

use serde_json::Value as Json;

pub(super) use choices::{choices, read_choice};
pub(super) use entries::Entries;
pub(super) use pictures::{Picture, PictureDetails};
pub(super) use places::{OldAddress, Permalink};
pub(super) use reader::{DIAGNOSTICS_MAX, Reader};
pub use reference::Reference;
pub(super) use reference::{Referable, nameless};
pub use rules::{Aliases, ReadingRules, StringTags};
pub(super) use types::{
    Anything, Date, DateOrSwitch, Integer, List, Profile, Text, VisibleFlag, bounded, check_length,
    report_too_many,
};
pub(super) use words::{
    Email, Id, ImageUrl, Locale, PageUrl, SiteAddress, Slug, TimeZoneName, Uuid, Word,
};

use super::document::Value;

/// One key of a file.
#[derive(Debug)]
pub struct Key {
    /// The field's own name, which wins over its other names.
    pub name: &'static str,
    /// Other names, the first before the next.
    pub aliases: &'static [&'static str],
    /// What it means, as written above the field: lines that begin with a blank.
    pub doc: &'static str,
    /// The JSON Schema of its value.
    pub schema: fn() -> Json,
}

impl Key {
    /// A row of a table of keys; [`fields!`] writes these.
    pub(super) const fn new<T: FieldType>(
        name: &'static str,
        aliases: &'static [&'static str],
        doc: &'static str,
    ) -> Key {
        Key {
            name,
            aliases,
            doc,
            schema: T::schema,
        }
    }

    /// The name and the other names; the position is the rank among keys that set the same field.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }
}

/// A key that sites of other generators have and that is accepted without being used.
#[derive(Debug)]
pub struct Ignored {
    pub name: &'static str,
    /// What the author might expect in vain, as a warning; none where nothing is lost.
    pub warning: Option<&'static str>,
}

/// All keys of one kind of file or table.
#[derive(Debug, Clone, Copy)]
pub struct KeySet {
    pub keys: &'static [&'static [Key]],
    /// Names of keys that must be there and not be empty.
    pub required: &'static [&'static str],
    pub ignored: &'static [Ignored],
    /// Tables for keys of one's own. What stands in them counts as if it stood outside; what is unknown is skipped.
    pub free_tables: &'static [&'static str],
    /// Whether `""` is a value of its own, which clears what was set, instead of saying nothing.
    pub keeps_empty_text: bool,
}

impl KeySet {
    /// A set of `keys` with nothing special about them.
    pub const fn of(keys: &'static [&'static [Key]], required: &'static [&'static str]) -> KeySet {
        KeySet {
            keys,
            required,
            ignored: &[],
            free_tables: &[],
            keeps_empty_text: false,
        }
    }

    /// Every key of the set.
    pub fn all(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.keys.iter().copied().flatten()
    }

    /// The key that is called `written`, with the rank of that name (0 is the key's own).
    fn find(&self, written: &str) -> Option<(&'static Key, usize)> {
        self.all().find_map(|key| {
            let rank = key.names().position(|name| same_name(name, written))?;
            Some((key, rank))
        })
    }

    /// Whether some key reaches into a table called `written`.
    fn reaches_into(&self, written: &str) -> bool {
        let tables = self
            .all()
            .flat_map(Key::names)
            .filter_map(|name| name.split_once('.'));
        tables
            .into_iter()
            .any(|(table, _)| same_name(table, written))
    }

    /// Whether `written` is a table for keys of one's own.
    fn has_free_table(&self, written: &str) -> bool {
        self.free_tables.iter().any(|name| same_name(name, written))
    }

    /// The known name that `written` is most likely a misspelling of.
    fn nearest(&self, written: &str) -> Option<&'static str> {
        let written: String = name_letters(written).collect();
        let length = written.chars().count();
        let tolerance = (length / 3).clamp(1, 3);
        let candidates = self.all().flat_map(Key::names).filter_map(|name| {
            let known: String = name_letters(name).collect();
            let alike = known.len().abs_diff(length) <= tolerance;
            let distance = alike.then(|| strsim::damerau_levenshtein(&known, &written))?;
            (distance <= tolerance).then_some((distance, name))
        });
        candidates
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, name)| name)
    }
}

/// The name of a field without the mark that lets it be a word of Rust (`r#type`).
pub(super) const fn plain(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

fn name_letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .map(|letter| letter.to_ascii_lowercase())
}

/// Whether a name is most likely a misspelling of a known one: a word of some length that is one letter away.
fn is_one_letter_away(known: &str, written: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    let [known, written]: [String; 2] = [known, written].map(|name| name_letters(name).collect());
    written.chars().count() >= LETTERS_MIN && strsim::damerau_levenshtein(&known, &written) == 1
}

pub(super) fn same_name(one: &str, other: &str) -> bool {
    name_letters(one).eq(name_letters(other))
}

/// How the value of a key is read and described.
pub trait FieldType {
    /// What it becomes.
    type Value;

    /// What is wanted, for the message about a value of another type: "text", "a date".
    const WANTED: &'static str;

    /// A value as one would write it.
    const EXAMPLE: &'static str;

    /// The value, or none if it is empty or wrong; what is wrong is reported to `reader`. `name` is the key as written.
    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Self::Value>;

    /// The JSON Schema of the values that are accepted.
    fn schema() -> Json;
}

/// Declares the keys of a file as a struct of what they become.
///
/// `name: Type, or "other" | "names";` becomes a public field `name: Option<Type::Value>` with the comment above it, which
/// is also the key's description in the JSON Schema, and a row of `KEYS`.
macro_rules! fields {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident {
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
                pub $name: Option<<$type as $crate::sources::keys::FieldType>::Value>,
            )+
        }

        impl $struct {
            pub(in crate::sources) const KEYS: &'static [$crate::sources::keys::Key] = &[
                $($crate::sources::keys::Key::new::<$type>(
                    $crate::sources::keys::plain(stringify!($name)),
                    &[$($($alias),+)?],
                    concat!($($doc, "\n"),+),
                ),)+
            ];

            pub(in crate::sources) fn from_entries(
                entries: &$crate::sources::keys::Entries<'_>,
                reader: &mut $crate::sources::keys::Reader<'_>,
            ) -> Self {
                Self { $($name: entries.read::<$type>($crate::sources::keys::plain(stringify!($name)), reader)),+ }
            }
        }
    };
}
pub(super) use fields;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Key, KeySet, name_letters};
    use crate::sources::author_file::AuthorFields;
    use crate::sources::newsletter_file::NewsletterFields;
    use crate::sources::tag_file::TagFields;
    use crate::sources::tier_file::TierFields;
    use crate::sources::{authors_file, post_file, site_file};

    const SETS: [KeySet; 8] = [
        authors_file::SET,
        post_file::SET,
        post_file::FOREIGN_SET,
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
                    seen.insert(name_letters(name).collect::<String>()),
                    "{name} stands twice"
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
