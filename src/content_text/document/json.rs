//! Parses JSON to the common tree, with the crate `serde_json`, which limits the depth of skipped values.
//!
//! Values are slices of the text, so that their positions are known. The last value of a repeated key is used, and
//! the repetition is reported, as in YAML.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{DocumentError, Kind, RecoveredDocument, Table, Value};
use crate::content_text::{
    Span, Spanned,
    document::{limits::DEPTH_MAX, recovery::Collector},
};

const ADVICE: &str =
    "fix the JSON: put keys and text in double quotes, with a comma between entries";

pub(super) fn parse(text: &str, start: usize) -> Result<RecoveredDocument, DocumentError> {
    let mut reader = JsonReader {
        text,
        start,
        collector: Collector::default(),
    };
    let whole: &RawValue =
        serde_json::from_str(text).map_err(|error| reader.malformed(text, &error))?;
    let value = reader.value(whole.get(), 0)?;
    let Kind::Table(table) = value.value else {
        let message = format!(
            "keys and values are expected here, not {}",
            value.value.name()
        );
        return Err(DocumentError::new(value.span, message, ADVICE));
    };
    Ok(RecoveredDocument {
        table,
        problems: reader.collector.problems,
    })
}

struct JsonReader<'text> {
    text: &'text str,
    start: usize,
    collector: Collector,
}

impl<'text> JsonReader<'text> {
    /// Returns the position of a slice of the text in the file.
    fn span(&self, part: &str) -> Span {
        // `serde_json` has no positions of values. Raw values are slices of the text, so the
        // distance of the pointers is the offset.
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let start = self.start + offset.min(self.text.len());
        Span::new(start, start + part.len())
    }

    fn malformed(&self, part: &str, error: &serde_json::Error) -> DocumentError {
        let message = format!("invalid JSON: {error}");
        // Positions of the error are relative to the slice.
        let message = message.split(" at line ").next().unwrap_or_default();
        // `serde_json` counts lines and columns from 1, and columns in bytes.
        let lines = part.split_inclusive('\n').take(error.line().max(1) - 1);
        let before = lines.map(str::len).sum::<usize>() + error.column().max(1) - 1;
        let offset = self.span(part).start + part.floor_char_boundary(before);
        DocumentError::new(Span::new(offset, offset), message, ADVICE)
    }

    fn value(&mut self, part: &'text str, depth: usize) -> Result<Value, DocumentError> {
        let span = self.span(part);
        if depth > DEPTH_MAX {
            let message = "lists and tables are nested too deeply";
            return Err(DocumentError::new(span, message, "reduce the nesting"));
        }
        let kind = match part.as_bytes().first() {
            Some(b'{') => Kind::Table(self.table(part, depth)?),
            Some(b'[') => Kind::List(self.list(part, depth)?),
            Some(b'"') => Kind::Text(self.read(part)?),
            Some(b't' | b'f') => Kind::Boolean(self.read(part)?),
            Some(b'n') => Kind::Nothing,
            // The syntax has been checked, so this is a number.
            _ => part.parse().map_or(Kind::Number, Kind::Integer),
        };
        Ok(Spanned::new(kind, span))
    }

    fn read<T: Deserialize<'text>>(&self, part: &'text str) -> Result<T, DocumentError> {
        serde_json::from_str(part).map_err(|error| self.malformed(part, &error))
    }

    fn list(&mut self, part: &'text str, depth: usize) -> Result<Vec<Value>, DocumentError> {
        let items: Vec<&RawValue> = self.read(part)?;
        items
            .into_iter()
            .map(|item| self.value(item.get(), depth + 1))
            .collect()
    }

    fn table(&mut self, part: &'text str, depth: usize) -> Result<Table, DocumentError> {
        let Entries(entries) = self.read(part)?;
        let mut table = Table::default();
        let mut keys = HashMap::new();
        for (key, value) in entries {
            let span = self.span(key.get());
            let key: Cow<'_, str> = self.read(key.get())?;
            let key = Spanned::new(key.into_owned(), span);
            let value = self.value(value.get(), depth + 1)?;
            self.collector.add(&mut table, &mut keys, key, value);
        }
        Ok(table)
    }
}

/// The keys and values of an object, in order.
struct Entries<'text>(Vec<(&'text RawValue, &'text RawValue)>);

impl<'text> Deserialize<'text> for Entries<'text> {
    fn deserialize<D: Deserializer<'text>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfObject)
    }
}

struct OfObject;

impl<'text> Visitor<'text> for OfObject {
    type Value = Entries<'text>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'text>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}
