//! Parses TOML 1.1 to the common tree, with the crate `toml`, which limits the depth itself.

use std::ops::Range;

use toml::{
    Spanned as Positioned,
    de::{DeTable, DeValue},
};

use super::{DocumentError, Kind, Table, Value};
use crate::content_text::{Span, Spanned};

const ADVICE: &str = "fix the TOML: put text in quotes, and each `key = value` on a separate line";

pub(super) fn parse(text: &str, start: usize) -> Result<Table, DocumentError> {
    match DeTable::parse(text) {
        Ok(table) => Ok(table_of(table.into_inner(), start)),
        Err(error) => {
            let span = moved(error.span().unwrap_or_default(), start);
            Err(DocumentError::new(
                span,
                format!("invalid TOML: {}", error.message()),
                ADVICE,
            ))
        }
    }
}

fn moved(range: Range<usize>, by: usize) -> Span {
    Span::new(range.start + by, range.end + by)
}

fn table_of(table: DeTable<'_>, start: usize) -> Table {
    let entries = table.into_iter().map(|(key, value)| {
        let span = moved(key.span(), start);
        (
            Spanned::new(key.into_inner().into_owned(), span),
            value_of(value, start),
        )
    });
    Table {
        entries: entries.collect(),
    }
}

fn value_of(value: Positioned<DeValue<'_>>, start: usize) -> Value {
    let span = moved(value.span(), start);
    let kind = match value.into_inner() {
        DeValue::String(text) => Kind::Text(text.into_owned()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or(Kind::Number, Kind::Integer),
        DeValue::Float(_) => Kind::Number,
        DeValue::Boolean(boolean) => Kind::Boolean(boolean),
        DeValue::Datetime(date) => Kind::Date(date.to_string()),
        DeValue::Array(items) => Kind::List(
            items
                .into_iter()
                .map(|item| value_of(item, start))
                .collect(),
        ),
        DeValue::Table(table) => Kind::Table(table_of(table, start)),
    };
    Spanned::new(kind, span)
}
