//! Rows of an export: named values of varying types.
//!
//! Ghost itself has written booleans as 0 and 1 and as true and false, dates in three ways, numbers as text; exporters of other
//! systems vary more. So a row stores values as they are, and each is converted when its column is read. A value of the wrong
//! type counts as absent, and the report names its column.

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
    /// Columns that are read.
    pub read: &'static [&'static str],
    /// Returns the column of this name that is read because a table of fields has it.
    pub of_fields: fn(&str) -> Option<&'static str>,
    /// Columns that are skipped without a note: derived values, and references to who did something in the old system.
    pub skipped: &'static [&'static str],
}

impl Columns {
    /// Columns without any.
    pub const NONE: Self = Self {
        read: &[],
        of_fields: |_| None,
        skipped: &[],
    };

    /// Returns the column of this name that is read.
    fn column(&self, name: &str) -> Option<&'static str> {
        let mut read = self.read.iter().copied();
        read.find(|column| *column == name)
            .or_else(|| (self.of_fields)(name))
    }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A boolean.
    Switch(bool),
    /// A whole number.
    Whole(i64),
    /// A floating-point number.
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
    /// Unknown columns that are not null.
    pub unknown: Vec<String>,
    /// Whether unpaired surrogates in it were replaced.
    pub is_repaired: bool,
}

/// Reads typed values of a row, and records columns that cannot be read.
pub struct RowReader<'r> {
    row: &'r Row<'r>,
    unreadable_columns: RefCell<Vec<&'static str>>,
}

impl<'a> Row<'a> {
    /// Parses a row; `Ok(None)` if the JSON is not an object.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or has too many values.
    pub fn parse(json: &'a [u8], columns: &Columns) -> Result<Option<Self>, serde_json::Error> {
        Budget::of(json.len())
            .take_json(json, JsonCost::OF_VALUES)
            .map_err(serde_json::Error::custom)?;
        Self::read_from(json, columns).or_else(|error| {
            let repaired = surrogates::repaired(json).ok_or(error)?;
            let row = Row::read_from(&repaired, columns)?;
            Ok(row.map(|row| Self {
                is_repaired: true,
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

    /// Returns the row with owned texts.
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
            is_repaired: self.is_repaired,
        }
    }

    /// Returns a reader of the row's values.
    pub fn read(&self) -> RowReader<'_> {
        RowReader {
            row: self,
            unreadable_columns: RefCell::default(),
        }
    }
}

impl<'r> RowReader<'r> {
    /// Returns the columns whose values had the wrong type, each once.
    pub fn unreadable_columns(&self) -> Vec<&'static str> {
        let mut unreadable_columns = self.unreadable_columns.borrow().clone();
        unreadable_columns.sort_unstable();
        unreadable_columns.dedup();
        unreadable_columns
    }

    /// Returns the value of the column.
    pub fn cell(&self, column: &str) -> Option<&'r Cell<'r>> {
        let mut cells = self.row.cells.iter();
        cells.find_map(|(name, cell)| (*name == column).then_some(cell))
    }

    /// Returns the text in the column; `None` if it is empty.
    pub fn text(&self, column: &'static str) -> Option<Cow<'r, str>> {
        let text = match self.cell(column)? {
            Cell::Text(text) => Cow::Borrowed(text.as_ref()),
            Cell::Switch(on) => Cow::Owned(on.to_string()),
            Cell::Whole(number) => Cow::Owned(number.to_string()),
            Cell::Number(number) => Cow::Owned(number.to_string()),
            Cell::Nested(_) => return self.unreadable_column(column),
        };
        Some(text).filter(|text| !text.is_empty())
    }

    /// Returns the text in the first of these columns that holds one.
    pub fn first_text(&self, columns: &[&'static str]) -> Option<Cow<'r, str>> {
        columns.iter().find_map(|column| self.text(column))
    }

    /// Returns the URL of an image in the first of these columns that holds one. One that runs code counts as absent.
    pub fn first_image(
        &self,
        columns: impl IntoIterator<Item = &'static str>,
    ) -> Option<Cow<'r, str>> {
        let mut columns = columns.into_iter();
        columns.find_map(|column| self.url(column, Usage::Image))
    }

    /// Returns the URL in the column, for readers to follow. One that runs code counts as absent.
    pub fn link(&self, column: &'static str) -> Option<Cow<'r, str>> {
        self.url(column, Usage::Link)
    }

    /// Returns the URL in the column, as records store it.
    pub fn boxed_link(&self, column: &'static str) -> Option<Box<str>> {
        self.link(column).map(|url| url.as_ref().into())
    }

    fn url(&self, column: &'static str, usage: Usage) -> Option<Cow<'r, str>> {
        let url = self.text(column)?;
        if is_active(&url, usage) {
            self.unreadable_column(column)
        } else {
            Some(url)
        }
    }

    /// Returns the JSON in the column, whether written as text or inline.
    pub fn json_text(&self, column: &'static str) -> Option<Cow<'r, str>> {
        match self.cell(column)? {
            Cell::Nested(value) => Some(Cow::Owned(value.to_string())),
            _ => self.text(column),
        }
    }

    /// Returns the text in the column, as records store it.
    pub fn boxed(&self, column: &'static str) -> Option<Box<str>> {
        self.text(column).map(|text| text.as_ref().into())
    }

    /// Returns the boolean in the column; `None` if it is empty.
    pub fn switch(&self, column: &'static str) -> Option<bool> {
        match self.cell(column)? {
            Cell::Switch(on) => Some(*on),
            Cell::Whole(number) => Some(*number != 0),
            Cell::Text(text) => match text.as_ref() {
                "" => None,
                "1" | "true" | "TRUE" | "True" => Some(true),
                "0" | "false" | "FALSE" | "False" => Some(false),
                _ => self.unreadable_column(column),
            },
            Cell::Number(_) | Cell::Nested(_) => self.unreadable_column(column),
        }
    }

    /// Returns the whole number in the column.
    pub fn whole(&self, column: &'static str) -> Option<i64> {
        match self.cell(column)? {
            Cell::Whole(number) => Some(*number),
            Cell::Number(number) if number.abs() < 1e15 => Some(number.round() as i64),
            Cell::Text(text) if text.is_empty() => None,
            Cell::Text(text) => match text.trim().parse() {
                Ok(number) => Some(number),
                Err(_) => self.unreadable_column(column),
            },
            _ => self.unreadable_column(column),
        }
    }

    /// Returns the number in the column, if it is not negative.
    pub fn count(&self, column: &'static str) -> Option<u64> {
        let number = self.whole(column)?;
        match u64::try_from(number) {
            Ok(number) => Some(number),
            Err(_) => self.unreadable_column(column),
        }
    }

    /// Returns the date in the column, to the second.
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
            None => self.unreadable_column(column),
        }
    }

    /// Returns the key in the column, of this row or of another.
    pub fn key(&self, column: &'static str) -> Option<Key> {
        match self.cell(column)? {
            Cell::Text(text) if text.is_empty() => None,
            Cell::Text(text) => Some(Key::of(text)),
            Cell::Whole(number) => Some(Key::of(&number.to_string())),
            _ => self.unreadable_column(column),
        }
    }

    fn unreadable_column<T>(&self, column: &'static str) -> Option<T> {
        self.unreadable_columns.borrow_mut().push(column);
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

/// Reads milliseconds since 1970. A number that would be in January 1970 counts as seconds.
fn date_of_number(number: i64) -> Option<Timestamp> {
    /// The first of February 1970, in milliseconds. In seconds it is a date of 2054.
    const MILLISECONDS_MIN: u64 = 31 * 24 * 60 * 60 * 1000;
    if number.unsigned_abs() < MILLISECONDS_MIN {
        Timestamp::from_second(number).ok()
    } else {
        Timestamp::from_millisecond(number).ok()
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
        while let Some(ColumnName(name)) = map.next_key()? {
            if let Some(column) = self.0.column(&name) {
                let value: Option<Cell> = map.next_value()?;
                // Of a repeated column the last value counts, as usual in JSON.
                row.cells.retain(|(known, _)| *known != column);
                row.cells.extend(value.map(|cell| (column, cell)));
            } else if self.0.skipped.contains(&name.as_ref()) {
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
struct ColumnName<'a>(#[serde(borrow)] Cow<'a, str>);

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
        skipped: &["plaintext"],
        ..Columns::NONE
    };

    fn row(json: &str) -> Row<'_> {
        Row::parse(json.as_bytes(), &COLUMNS).unwrap().unwrap()
    }

    #[test]
    fn dates_are_read_as_text_and_as_numbers() {
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
    fn invalid_value_counts_as_absent_and_is_reported() {
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
        assert_eq!(row.unreadable_columns(), ["a", "b", "c", "id"]);
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
    fn only_objects_are_rows() {
        for json in ["1", "null", "\"a\"", "[{}]", "true", "1.5"] {
            assert!(
                Row::parse(json.as_bytes(), &COLUMNS).unwrap().is_none(),
                "{json}"
            );
        }
        assert!(Row::parse(b"{\"a\": 1,}", &COLUMNS).is_err());
    }
}
