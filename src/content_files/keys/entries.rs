//! Matches the entries of a table with the known keys.
//!
//! Each field gets at most one entry: the key's own name takes precedence over its aliases, in the order of the table of
//! keys. Every other entry, and every unknown key, is a warning. A key without a value is ignored.
//!
//! Files of other generators also contain keys of themes and other programs. In these files the first valid entry is used, and
//! an unknown key is reported only if it differs from a known key in one character.

use std::collections::BTreeMap;

use crate::{
    content_files::keys::{FieldType, KeySet, Reader, key::is_one_character_away, same_name},
    content_text::{
        Span,
        document::{Kind, Table, Value},
    },
};

/// Keys of generators and themes that resemble a known key but are not misspellings of it.
const NO_MISSPELLINGS: [&str; 2] = ["feature", "features"];

/// Minimum length, in characters, of a known key whose misspellings are reported in files of other generators.
const MISSPELT_CHARACTERS_MIN: usize = 5;

/// The entries of each field.
pub struct Entries<'table> {
    /// Entries in order of precedence.
    by_field: BTreeMap<&'static str, Vec<KeyEntry<'table>>>,
}

/// An entry, with its key as written.
struct KeyEntry<'table> {
    /// The key with its enclosing tables: `cover.image`.
    written: String,
    /// 0 for the field's own name, then its aliases in order.
    rank: usize,
    key_span: Span,
    value: &'table Value,
}

impl<'table> Entries<'table> {
    /// Sorts the entries of `table` by the keys of `set`. Missing required keys are reported at `span`. Entries with this
    /// position are default values, not entries of the file; they come last.
    pub fn collect(
        table: &'table Table,
        set: &KeySet,
        span: Span,
        reader: &mut Reader<'_>,
    ) -> Self {
        let mut walk = TableWalk {
            set,
            reader,
            found: BTreeMap::new(),
            empty: Vec::new(),
        };
        walk.table(table, "", false);
        let TableWalk { found, empty, .. } = walk;
        for name in set
            .required
            .iter()
            .filter(|name| !found.contains_key(*name))
        {
            report_missing(name, span, &empty, reader);
        }
        let by_field = found
            .into_iter()
            .map(|(field, entries)| (field, in_order(field, entries, span, reader)));
        Entries {
            by_field: by_field.collect(),
        }
    }

    /// Sorts the entries of a nested table; `None` if `value` is not a table.
    pub fn of_value(value: &'table Value, set: &KeySet, reader: &mut Reader<'_>) -> Option<Self> {
        match &value.value {
            Kind::Table(table) => Some(Entries::collect(table, set, value.span, reader)),
            _ => None,
        }
    }

    /// Reads the value of a field; `None` if it is missing, empty or invalid.
    pub fn read<T: FieldType>(&self, field: &str, reader: &mut Reader<'_>) -> Option<T::Value> {
        self.first_usable(field, |value, written| T::read(value, written, reader))
    }

    /// Returns the first value of a field that `read` accepts; `read` also gets the key as written.
    pub fn first_usable<T>(
        &self,
        field: &str,
        mut read: impl FnMut(&Value, &str) -> Option<T>,
    ) -> Option<T> {
        let mut entries = self.by_field.get(field)?.iter();
        entries.find_map(|entry| read(entry.value, &entry.written))
    }

    /// Returns the raw value of a field and its key as written.
    pub fn written(&self, field: &str) -> Option<(&'table Value, &str)> {
        let entry = self.by_field.get(field)?.first()?;
        Some((entry.value, &entry.written))
    }

    /// Returns the position of a field's key.
    pub fn key_span(&self, field: &str) -> Option<Span> {
        let entry = self.by_field.get(field)?.first()?;
        Some(entry.key_span)
    }
}

fn report_missing(name: &str, span: Span, empty: &[(&str, Span)], reader: &mut Reader<'_>) {
    let advice = format!("write `{}`", reader.language.assignment(name, "\"…\""));
    match empty.iter().find(|(field, _)| *field == name) {
        Some((_, span)) => reader.error(*span, format!("`{name}` is empty"), advice),
        None => reader.error(span, format!("`{name}` is missing"), advice),
    }
}

/// Returns the entries of a field in order of precedence. In Galley's own files only the first is used, and the others are
/// reported.
fn in_order<'table>(
    field: &str,
    mut entries: Vec<KeyEntry<'table>>,
    span: Span,
    reader: &mut Reader<'_>,
) -> Vec<KeyEntry<'table>> {
    let precedence = |entry: &KeyEntry<'_>| {
        // Default values of the project have the position of the front matter itself.
        let is_default = entry.key_span == span;
        (is_default, entry.rank, entry.key_span.start)
    };
    entries.sort_by_key(precedence);
    if reader.is_lenient() || entries.len() < 2 {
        return entries;
    }
    let losers = entries.split_off(1);
    for loser in losers {
        let (one, other) = (&entries[0].written, &loser.written);
        let message = format!("`{one}` and `{other}` both set {field}; `{one}` is used");
        reader.warning(loser.key_span, message, format!("remove `{other}`"));
    }
    entries
}

/// A traversal of a table and of the nested tables that known names reach into.
struct TableWalk<'walk, 'table, 'file> {
    set: &'walk KeySet,
    reader: &'walk mut Reader<'file>,
    found: BTreeMap<&'static str, Vec<KeyEntry<'table>>>,
    /// Fields whose key has no value.
    empty: Vec<(&'static str, Span)>,
}

impl<'table> TableWalk<'_, 'table, '_> {
    /// `prefix` is the path of the table with a trailing dot. `free` is set in tables that permit unknown keys.
    fn table(&mut self, table: &'table Table, prefix: &str, free: bool) {
        for (key, value) in &table.entries {
            let written = format!("{prefix}{}", key.value);
            match &value.value {
                Kind::Table(inner) if self.set.reaches_into(&written) => {
                    self.table(inner, &format!("{written}."), free);
                    // The type of a table may read names that are not keys.
                    if self.reader.is_lenient() && self.set.find(&written).is_some() {
                        self.entry(written, key.span, value, free);
                    }
                }
                Kind::Table(inner) if self.set.has_free_table(&written) => {
                    self.table(inner, "", true)
                }
                _ => self.entry(written, key.span, value, free),
            }
        }
    }

    fn entry(&mut self, written: String, key_span: Span, value: &'table Value, free: bool) {
        let is_empty_value = match &value.value {
            Kind::Nothing => true,
            Kind::Text(text) => text.trim().is_empty() && !self.set.keeps_empty_text,
            _ => false,
        };
        match self.set.find(&written) {
            None => self.unknown(&written, key_span, free),
            Some((key, _)) if is_empty_value => self.empty.push((key.name, key_span)),
            Some((key, rank)) => {
                self.found.entry(key.name).or_default().push(KeyEntry {
                    written,
                    rank,
                    key_span,
                    value,
                });
            }
        }
    }

    /// Reports an unknown key. In the tables of other generators (`cover.relative`) unknown keys are common, so only a likely
    /// misspelling is reported there.
    fn unknown(&mut self, written: &str, span: Span, free: bool) {
        // If warnings are dropped, the costly search for similar keys is not worth it.
        if free
            || self.set.keeps_other_keys
            || self.reader.is_full()
            || self.set.has_free_table(written)
        {
            return;
        }
        if let Some(ignored) = self
            .set
            .ignored
            .iter()
            .find(|ignored| same_name(ignored.name, written))
        {
            if let Some(meaning) = ignored.warning {
                self.reader.warning(
                    span,
                    format!("`{written}` has no effect: {meaning}"),
                    "remove it",
                );
            }
            return;
        }
        if self.reader.is_lenient() {
            return self.misspelt(written, span);
        }
        let nearest = self.set.nearest(written);
        if nearest.is_some() || !written.contains('.') {
            let advice = self.advice_on_unknown(nearest);
            self.reader
                .warning(span, format!("the key `{written}` is unknown"), advice);
        }
    }

    /// Reports a key of another generator's file that differs from a known one in one character; other unknown keys belong to
    /// its theme. Short words often differ in one character only (`last`, `list`).
    fn misspelt(&mut self, written: &str, span: Span) {
        let nearest = self.set.nearest(written);
        let is_likely = |nearest: &&str| {
            nearest.len() >= MISSPELT_CHARACTERS_MIN && is_one_character_away(nearest, written)
        };
        let is_word = NO_MISSPELLINGS.iter().any(|word| same_name(word, written));
        let Some(nearest) = nearest.filter(is_likely).filter(|_| !is_word) else {
            return;
        };
        self.reader.warning(
            span,
            format!("the key `{written}` is unknown"),
            format!("did you mean `{nearest}`?"),
        );
    }

    fn advice_on_unknown(&self, nearest: Option<&str>) -> String {
        match (nearest, self.set.free_tables.first()) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, Some(table)) => {
                format!("remove it, or keep it for yourself in a table `{table}`")
            }
            (None, None) => "remove it".to_owned(),
        }
    }
}
