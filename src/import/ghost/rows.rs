//! Rows of an export: named values of whatever type the program wrote that made the file.
//!
//! Ghost itself wrote switches as 0 and 1 and as true and false, dates in three ways, numbers as text. Programs that make
//! exports of other systems do worse. So a row keeps what stands there, and what it means is asked for column by column. A
//! value that cannot mean what its column wants counts as absent, and its column is named in the report.

use std::{borrow::Cow, cell::RefCell, fmt};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::MapAccessDeserializer,
    },
};
use serde_json::Value;

use super::{keys::Key, surrogates};
use crate::{
    clock::whole_seconds,
    render::{
        active_urls::{Usage, is_active},
        limits::{Budget, JsonCost},
    },
};

/// The columns of a table.
pub struct Columns {
    /// Those that are read.
    pub read: &'static [&'static str],
    /// Those that mean nothing here and are skipped without a word: what is derived from others, and what says
    /// who did something in a system that is no more.
    pub passed_over: &'static [&'static str],
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A switch.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// A list or an object.
    Nested(Value),
}

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row<'a> {
    /// Values that are not null.
    cells: Vec<(&'static str, Cell<'a>)>,
    /// Columns that are not known, and hold something.
    pub unknown: Vec<String>,
    /// Whether halves of characters stood in it, which no text can have: something else stands in their place.
    pub is_mended: bool,
}

/// What a row means, and which of its columns mean nothing.
pub struct Reading<'r> {
    row: &'r Row<'r>,
    misfits: RefCell<Vec<&'static str>>,
}

impl<'a> Row<'a> {
    /// Reads a row; `Ok(None)` when what stands there is no object.
    ///
    /// # Errors
    ///
    /// When it is not JSON, or has too many values.
    pub fn parse(json: &'a [u8], columns: &Columns) -> Result<Option<Self>, serde_json::Error> {
        Budget::of(json.len())
            .take_json(json, JsonCost::OF_VALUES)
            .map_err(serde_json::Error::custom)?;
        Self::read_from(json, columns).or_else(|error| {
            let mended = surrogates::mended(json).ok_or(error)?;
            let row = Row::read_from(&mended, columns)?;
            Ok(row.map(|row| Self {
                is_mended: true,
                ..row.into_owned()
            }))
        })
    }

    fn read_from(json: &'a [u8], columns: &Columns) -> Result<Option<Self>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let row = RowSeed(columns).deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(row)
    }

    /// The same row with texts of its own.
    pub fn into_owned(self) -> Row<'static> {
        let owned = |cell: Cell<'a>| match cell {
            Cell::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
            Cell::Switch(on) => Cell::Switch(on),
            Cell::Whole(number) => Cell::Whole(number),
            Cell::Number(number) => Cell::Number(number),
            Cell::Nested(value) => Cell::Nested(value),
        };
        Row {
            cells: self
                .cells
                .into_iter()
                .map(|(column, cell)| (column, owned(cell)))
                .collect(),
            unknown: self.unknown,
            is_mended: self.is_mended,
        }
    }

    /// What the row means.
    pub fn read(&self) -> Reading<'_> {
        Reading {
            row: self,
            misfits: RefCell::default(),
        }
    }
}

impl<'r> Reading<'r> {
    /// The columns whose values could not mean what was asked for, each once.
    pub fn misfits(&self) -> Vec<&'static str> {
        let mut misfits = self.misfits.borrow().clone();
        misfits.sort_unstable();
        misfits.dedup();
        misfits
    }

    /// What stands in the column.
    pub fn cell(&self, column: &str) -> Option<&'r Cell<'r>> {
        let found = self.row.cells.iter().find(|(name, _)| *name == column);
        found.map(|(_, cell)| cell)
    }

    /// The text in the column; `None` when it is empty.
    pub fn text(&self, column: &'static str) -> Option<Cow<'r, str>> {
        let text = match self.cell(column)? {
            Cell::Text(text) => Cow::Borrowed(text.as_ref()),
            Cell::Switch(on) => Cow::Owned(on.to_string()),
            Cell::Whole(number) => Cow::Owned(number.to_string()),
            Cell::Number(number) => Cow::Owned(number.to_string()),
            Cell::Nested(_) => return self.misfit(column),
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// The text in the first of these columns that holds one.
    pub fn first_text(&self, columns: &[&'static str]) -> Option<Cow<'r, str>> {
        columns.iter().find_map(|column| self.text(column))
    }

    /// The URL of an image in the first of these columns that holds one. One that runs code counts as absent.
    pub fn first_image(&self, columns: &[&'static str]) -> Option<Cow<'r, str>> {
        let image = |column: &&'static str| self.url(column, Usage::Image);
        columns.iter().find_map(image)
    }

    /// The URL in the column, for readers to follow. One that runs code counts as absent.
    pub fn link(&self, column: &'static str) -> Option<Cow<'r, str>> {
        self.url(column, Usage::Link)
    }

    /// The same, as records keep it.
    pub fn boxed_link(&self, column: &'static str) -> Option<Box<str>> {
        self.link(column).map(|url| url.as_ref().into())
    }

    fn url(&self, column: &'static str, usage: Usage) -> Option<Cow<'r, str>> {
        let url = self.text(column)?;
        if is_active(&url, usage) {
            self.misfit(column)
        } else {
            Some(url)
        }
    }

    /// The JSON in the column, be it written as text or as what it is.
    pub fn json_text(&self, column: &'static str) -> Option<Cow<'r, str>> {
        match self.cell(column)? {
            Cell::Nested(value) => Some(Cow::Owned(value.to_string())),
            _ => self.text(column),
        }
    }

    /// The text in the column, as records keep it.
    pub fn boxed(&self, column: &'static str) -> Option<Box<str>> {
        self.text(column).map(|text| text.as_ref().into())
    }

    /// Whether the switch in the column is on; `None` when it says nothing.
    pub fn switch(&self, column: &'static str) -> Option<bool> {
        match self.cell(column)? {
            Cell::Switch(on) => Some(*on),
            Cell::Whole(number) => Some(*number != 0),
            Cell::Text(text) => match text.as_ref() {
                "" => None,
                "1" | "true" | "TRUE" | "True" => Some(true),
                "0" | "false" | "FALSE" | "False" => Some(false),
                _ => self.misfit(column),
            },
            Cell::Number(_) | Cell::Nested(_) => self.misfit(column),
        }
    }

    /// The whole number in the column.
    pub fn whole(&self, column: &'static str) -> Option<i64> {
        match self.cell(column)? {
            Cell::Whole(number) => Some(*number),
            Cell::Number(number) if number.abs() < 1e15 => Some(number.round() as i64),
            Cell::Text(text) if text.is_empty() => None,
            Cell::Text(text) => match text.trim().parse() {
                Ok(number) => Some(number),
                Err(_) => self.misfit(column),
            },
            _ => self.misfit(column),
        }
    }

    /// The number in the column, if it is not below 0.
    pub fn count(&self, column: &'static str) -> Option<u64> {
        let number = self.whole(column)?;
        match u64::try_from(number) {
            Ok(number) => Some(number),
            Err(_) => self.misfit(column),
        }
    }

    /// The date in the column, to the second.
    pub fn date(&self, column: &'static str) -> Option<Timestamp> {
        let date = match self.cell(column)? {
            Cell::Text(text) if text.is_empty() => return None,
            Cell::Text(text) => date_of_text(text),
            Cell::Whole(number) => date_of_number(*number),
            Cell::Number(number) if number.abs() < 1e15 => date_of_number(number.round() as i64),
            _ => None,
        };
        match date {
            Some(date) => Some(whole_seconds(date)),
            None => self.misfit(column),
        }
    }

    /// What the row, or another one, is known by in the column.
    pub fn key(&self, column: &'static str) -> Option<Key> {
        match self.cell(column)? {
            Cell::Text(text) if text.is_empty() => None,
            Cell::Text(text) => Some(Key::of(text)),
            Cell::Whole(number) => Some(Key::of(&number.to_string())),
            _ => self.misfit(column),
        }
    }

    fn misfit<T>(&self, column: &'static str) -> Option<T> {
        self.misfits.borrow_mut().push(column);
        None
    }
}

/// Reads `2024-01-31T10:00:00.000Z`, `2024-01-31 10:00:00` (which is UTC) and `2024-01-31`, also with an offset.
fn date_of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let of_civil = |civil: DateTime| {
        civil
            .to_zoned(TimeZone::UTC)
            .ok()
            .map(|date| date.timestamp())
    };
    text.parse::<Timestamp>()
        .ok()
        .or_else(|| of_civil(text.parse::<DateTime>().ok()?))
        .or_else(|| date_of_number(text.parse().ok()?))
}

/// Reads milliseconds since 1970; what would be a day of January 1970 then is seconds.
fn date_of_number(number: i64) -> Option<Timestamp> {
    /// The first of February 1970, in milliseconds. In seconds it is a date of 2054.
    const MILLISECONDS_MIN: u64 = 31 * 24 * 60 * 60 * 1000;
    match number.unsigned_abs() < MILLISECONDS_MIN {
        true => Timestamp::from_second(number).ok(),
        false => Timestamp::from_millisecond(number).ok(),
    }
}

struct RowSeed<'c>(&'c Columns);

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = Option<Row<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = Option<Row<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut row = Row::default();
        while let Some(Name(name)) = map.next_key()? {
            if let Some(column) = self.0.read.iter().find(|column| **column == name) {
                let value: Option<Cell> = map.next_value()?;
                // Of a column that stands twice the last value counts, as everywhere in JSON.
                row.cells.retain(|(known, _)| known != column);
                row.cells.extend(value.map(|cell| (*column, cell)));
            } else if self.0.passed_over.contains(&name.as_ref()) {
                map.next_value::<IgnoredAny>()?;
            } else if map.next_value::<Option<IgnoredAny>>()?.is_some() {
                row.unknown.push(name.into_owned());
            }
        }
        Ok(Some(row))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// The name of a column, borrowed from the file where it can be.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CellVisitor;
        impl<'de> Visitor<'de> for CellVisitor {
            type Value = Cell<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_bool<E>(self, on: bool) -> Result<Self::Value, E> {
                Ok(Cell::Switch(on))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Cell::Whole(number))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(i64::try_from(number).map_or(Cell::Number(number as f64), Cell::Whole))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Cell::Number(number))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
                Value::deserialize(MapAccessDeserializer::new(map)).map(Cell::Nested)
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
                let mut values = Vec::new();
                while let Some(value) = list.next_element()? {
                    values.push(value);
                }
                Ok(Cell::Nested(Value::Array(values)))
            }
        }
        deserializer.deserialize_any(CellVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns {
        read: &["id", "a", "b", "c"],
        passed_over: &["plaintext"],
    };

    fn row(json: &str) -> Row<'_> {
        Row::parse(json.as_bytes(), &COLUMNS).unwrap().unwrap()
    }

    #[test]
    fn dates_are_read_in_every_way_that_exports_write_them() {
        for (json, date) in [
            ("\"2024-01-31T10:00:00.900Z\"", "2024-01-31T10:00:00Z"),
            ("\"2024-01-31T10:00:00+02:00\"", "2024-01-31T08:00:00Z"),
            ("\"2024-01-31 10:00:00\"", "2024-01-31T10:00:00Z"),
            ("\"2024-01-31\"", "2024-01-31T00:00:00Z"),
            ("1706695200000", "2024-01-31T10:00:00Z"),
            ("\"1706695200000\"", "2024-01-31T10:00:00Z"),
            ("1706695200", "2024-01-31T10:00:00Z"),
        ] {
            let json = format!("{{\"a\": {json}}}");
            assert_eq!(
                row(&json).read().date("a"),
                Some(date.parse().unwrap()),
                "{json}"
            );
        }
    }

    #[test]
    fn what_cannot_be_meant_counts_as_absent_and_is_told() {
        let row = &row(
            r#"{"id": {}, "a": "soon", "b": [1], "c": -1, "x": 1, "y": null, "plaintext": "p"}"#,
        );
        let row = row.read();
        assert_eq!(row.key("id"), None);
        assert_eq!(
            (row.date("a"), row.switch("a"), row.whole("a")),
            (None, None, None)
        );
        assert_eq!(
            (row.text("b"), row.count("c"), row.text("x")),
            (None, None, None)
        );
        assert_eq!(row.misfits(), ["a", "b", "c", "id"]);
        assert_eq!(row.row.unknown, ["x"]);
    }

    #[test]
    fn switches_and_numbers_may_be_written_as_text() {
        let row = row(r#"{"a": "1", "b": 0, "c": "12"}"#);
        let row = row.read();
        assert_eq!(
            (row.switch("a"), row.switch("b"), row.whole("c")),
            (Some(true), Some(false), Some(12))
        );
        assert_eq!(row.text("b").as_deref(), Some("0"));
    }

    #[test]
    fn what_is_no_object_is_no_row() {
        for json in ["1", "null", "\"a\"", "[{}]", "true", "1.5"] {
            assert!(
                Row::parse(json.as_bytes(), &COLUMNS).unwrap().is_none(),
                "{json}"
            );
        }
        assert!(Row::parse(b"{\"a\": 1,}", &COLUMNS).is_err());
    }
}
