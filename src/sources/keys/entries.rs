//! Matching what a table holds with the keys that are known.
//!
//! Each field gets at most one entry: the key's own name before its other names, in the order of the table of keys. Every
//! entry that loses, and every key that nobody knows, is a warning. A key without a value says nothing.

use std::collections::BTreeMap;

use super::{FieldType, KeySet, Reader, same_name};
use crate::sources::document::{Kind, Table, Value};
use crate::sources::source::Span;

/// What was written for each field.
pub struct Entries<'table> {
    by_field: BTreeMap<&'static str, Entry<'table>>,
}

/// One key as written.
struct Entry<'table> {
    /// The key with the tables it stands in: `cover.image`.
    written: String,
    /// 0 for the field's own name, then its other names in order.
    rank: usize,
    key_span: Span,
    value: &'table Value,
}

impl<'table> Entries<'table> {
    /// Sorts `table` by the keys of `set`. What is missing is reported at `place`.
    pub fn collect(
        table: &'table Table,
        set: &KeySet,
        place: Span,
        reader: &mut Reader<'_>,
    ) -> Self {
        let mut walk = Walk {
            set,
            reader,
            found: BTreeMap::new(),
            empty: Vec::new(),
        };
        walk.table(table, "", false);
        let Walk { found, empty, .. } = walk;
        for name in set
            .required
            .iter()
            .filter(|name| !found.contains_key(*name))
        {
            report_missing(name, place, &empty, reader);
        }
        let by_field = found
            .into_iter()
            .filter_map(|(field, entries)| Some((field, winner(field, entries, reader)?)));
        Entries {
            by_field: by_field.collect(),
        }
    }

    /// The same for a table inside a file, or none if `value` is not a table.
    pub fn of_value(value: &'table Value, set: &KeySet, reader: &mut Reader<'_>) -> Option<Self> {
        match &value.value {
            Kind::Table(table) => Some(Entries::collect(table, set, value.span, reader)),
            _ => None,
        }
    }

    /// The value of a field, or none if it is not given, empty or wrong.
    pub fn read<T: FieldType>(&self, field: &str, reader: &mut Reader<'_>) -> Option<T::Value> {
        let entry = self.by_field.get(field)?;
        T::read(entry.value, &entry.written, reader)
    }

    /// Where the key of a field stands, if it is given.
    pub fn key_span(&self, field: &str) -> Option<Span> {
        self.by_field.get(field).map(|entry| entry.key_span)
    }
}

fn report_missing(name: &str, place: Span, empty: &[(&str, Span)], reader: &mut Reader<'_>) {
    let advice = format!("write `{}`", reader.language.assignment(name, "\"…\""));
    match empty.iter().find(|(field, _)| *field == name) {
        Some((_, span)) => reader.error(*span, format!("`{name}` is empty"), advice),
        None => reader.error(place, format!("`{name}` is missing"), advice),
    }
}

/// The entry that counts of those for one field; the others are reported.
fn winner<'table>(
    field: &str,
    mut entries: Vec<Entry<'table>>,
    reader: &mut Reader<'_>,
) -> Option<Entry<'table>> {
    entries.sort_by_key(|entry| (entry.rank, entry.key_span.start));
    let mut entries = entries.into_iter();
    let winner = entries.next()?;
    for loser in entries {
        let (one, other) = (&winner.written, &loser.written);
        let message = format!("`{one}` and `{other}` both set {field}; `{one}` counts");
        reader.warning(loser.key_span, message, format!("remove `{other}`"));
    }
    Some(winner)
}

/// One pass through a table and the tables in it that known names reach into.
struct Walk<'walk, 'table, 'file> {
    set: &'walk KeySet,
    reader: &'walk mut Reader<'file>,
    found: BTreeMap<&'static str, Vec<Entry<'table>>>,
    /// Fields whose key stands there without a value.
    empty: Vec<(&'static str, Span)>,
}

impl<'table> Walk<'_, 'table, '_> {
    /// `prefix` is the path to the table, with a dot behind it. `free` holds in tables where unknown keys are fine.
    fn table(&mut self, table: &'table Table, prefix: &str, free: bool) {
        for (key, value) in &table.entries {
            let written = format!("{prefix}{}", key.value);
            match &value.value {
                Kind::Table(inner) if self.set.reaches_into(&written) => {
                    self.table(inner, &format!("{written}."), free);
                }
                Kind::Table(inner) if self.set.has_free_table(&written) => {
                    self.table(inner, "", true)
                }
                _ => self.entry(written, key.span, value, free),
            }
        }
    }

    fn entry(&mut self, written: String, key_span: Span, value: &'table Value, free: bool) {
        let says_nothing = match &value.value {
            Kind::Nothing => true,
            Kind::Text(text) => text.trim().is_empty() && !self.set.keeps_empty_text,
            _ => false,
        };
        match self.set.find(&written) {
            None => self.unknown(&written, key_span, free),
            Some((key, _)) if says_nothing => self.empty.push((key.name, key_span)),
            Some((key, rank)) => {
                self.found.entry(key.name).or_default().push(Entry {
                    written,
                    rank,
                    key_span,
                    value,
                });
            }
        }
    }

    /// Reports a key that no field has. In the tables of other generators (`cover.relative`) that is usual, so only a
    /// likely misspelling counts there.
    fn unknown(&mut self, written: &str, span: Span, free: bool) {
        if free || self.reader.is_full() || self.set.has_free_table(written) {
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
        let nearest = self.set.nearest(written);
        if nearest.is_some() || !written.contains('.') {
            let advice = self.advice_on_unknown(nearest);
            self.reader
                .warning(span, format!("the key `{written}` is unknown"), advice);
        }
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
