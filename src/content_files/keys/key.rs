//! The keys of a file, and how written names are matched with them.

use serde_json::Value as Json;

use crate::{
    catalog::fields::TextContent,
    content_files::keys::field_type::FieldType,
    content_text::key_names::{name_characters, same_name},
    domain::newsletter_design::DesignType,
};

/// One key of a file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The field's own name, which takes precedence over its aliases.
    pub name: &'static str,
    /// Aliases in order of precedence.
    pub aliases: &'static [&'static str],
    /// Its description, as written above the field: lines that begin with a space.
    pub doc: &'static str,
    /// The type of its value.
    pub(super) value: ValueType,
}

/// The type of a key's value.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueType {
    /// A [`FieldType`]: its JSON Schema, and its name in messages.
    Own(fn() -> Json, &'static str),
    /// A text of the table of fields.
    Text(TextContent),
    /// A design option of newsletters.
    Design(DesignType),
}

impl Key {
    /// A placeholder in arrays of keys.
    pub(super) const NONE: Key = Key {
        name: "",
        aliases: &[],
        doc: "",
        value: ValueType::Text(TextContent::Page),
    };

    /// Creates a row of a table of keys; for [`fields!`].
    pub(in crate::content_files) const fn new<T: FieldType>(
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
    /// Tables for custom keys. Known keys in them are read as if they were outside; unknown keys are ignored.
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
    pub(super) fn find(&self, written: &str) -> Option<(&'static Key, usize)> {
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
    pub(super) fn reaches_into(&self, written: &str) -> bool {
        let tables = self
            .all()
            .flat_map(Key::names)
            .filter_map(|name| name.split_once('.'));
        tables
            .into_iter()
            .any(|(table, _)| same_name(table, written))
    }

    /// Returns whether `written` is a table for custom keys.
    pub(super) fn has_free_table(&self, written: &str) -> bool {
        self.free_tables.iter().any(|name| same_name(name, written))
    }

    /// Returns the known name that `written` is most likely a misspelling of.
    pub(super) fn nearest(&self, written: &str) -> Option<&'static str> {
        let written: String = name_characters(written).collect();
        let length = written.chars().count();
        let tolerance = (length / 3).clamp(1, 3);
        let candidates = self.all().flat_map(Key::names).filter_map(|name| {
            let known: String = name_characters(name).collect();
            // The distance is at least the difference of the lengths, which is much faster to
            // compute.
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
pub(in crate::content_files) const fn plain(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

/// Returns whether a name is most likely a misspelling of a known one: a long enough word that differs in one character.
pub(super) fn is_one_character_away(known: &str, written: &str) -> bool {
    const CHARACTERS_MIN: usize = 4;
    let [known, written]: [String; 2] =
        [known, written].map(|name| name_characters(name).collect());
    written.chars().count() >= CHARACTERS_MIN && strsim::damerau_levenshtein(&known, &written) == 1
}
