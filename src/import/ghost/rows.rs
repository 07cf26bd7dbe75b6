//! Rows of an export: named values of varying types.
//!
//! Ghost itself has written booleans as 0 and 1 and as true and false, dates in three formats, and numbers as text;
//! exporters of other systems vary more. So a row stores values unconverted, and each is converted when its column is
//! read. A value of the wrong type counts as absent, and the report names its column.

use std::{borrow::Cow, cell::RefCell, collections::BTreeSet, fmt, sync::Arc};

use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::{cell::Cell, keys::RowKey, surrogates};
use crate::{
    clock::whole_seconds,
    render::{
        active_urls::{Usage, is_active},
        limits::{Budget, JsonCost},
    },
};

/// Maximum number of columns in a row.
const COLUMNS_MAX: usize = 1000;

/// Columns that are skipped in every table: the users who created and updated a row in the old system.
const SKIPPED_EVERYWHERE: &[&str] = &["created_by", "updated_by"];

/// One row.
#[derive(Clone, Debug, Default)]
pub struct Row<'a> {
    /// Values that are not null.
    cells: Vec<(ColumnName<'a>, Cell<'a>)>,
    /// True if unpaired surrogates in it were replaced.
    pub is_repaired: bool,
}

/// The name of a column.
#[derive(Clone, Debug)]
enum ColumnName<'a> {
    /// The name in a row that was parsed.
    Read(Cow<'a, str>),
    /// A name that is shared by all stored rows.
    Shared(Arc<str>),
}

/// The column names that the rows of a file share.
#[derive(Debug, Default)]
pub struct ColumnNames(BTreeSet<Arc<str>>);

/// Reads typed values of a row, and records which columns were read and which could not be.
pub struct RowReader<'r> {
    row: &'r Row<'r>,
    /// For each column of the row, whether it was read.
    is_read: RefCell<Vec<bool>>,
    unreadable_columns: RefCell<Vec<&'static str>>,
}

impl ColumnName<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Read(name) => name,
            Self::Shared(name) => name,
        }
    }
}

impl ColumnNames {
    fn shared(&mut self, name: &str) -> Arc<str> {
        if let Some(name) = self.0.get(name) {
            return Arc::clone(name);
        }
        let name: Arc<str> = name.into();
        self.0.insert(Arc::clone(&name));
        name
    }
}

impl<'a> Row<'a> {
    /// Parses a row, repairing unpaired surrogates. `Ok(None)` if the JSON is not an object.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or has too many values or columns.
    pub fn parse(json: &'a [u8]) -> Result<Option<Self>, serde_json::Error> {
        // Many short values take many times the memory of their text.
        Budget::of(json.len())
            .take_json(json, JsonCost::OF_VALUES)
            .map_err(serde_json::Error::custom)?;
        Self::read_from(json).or_else(|error| {
            // Repaired only after a failure: nearly all rows are valid, and the search for surrogates costs time.
            let repaired = surrogates::repaired(json).ok_or(error)?;
            let row = Row::read_from(&repaired)?;
            Ok(row.map(|row| Self {
                is_repaired: true,
                ..row.into_owned(|name| ColumnName::Read(Cow::Owned(name.to_owned())))
            }))
        })
    }

    fn read_from(json: &'a [u8]) -> Result<Option<Self>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let row = ReadRow::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(row.0)
    }

    /// Returns the row with owned texts, and names that are shared.
    pub fn into_stored(self, names: &mut ColumnNames) -> Row<'static> {
        self.into_owned(|name| ColumnName::Shared(names.shared(name)))
    }

    fn into_owned(self, mut name_of: impl FnMut(&str) -> ColumnName<'static>) -> Row<'static> {
        let cells = self.cells.into_iter();
        Row {
            cells: cells
                .map(|(name, cell)| (name_of(name.as_str()), cell.into_owned()))
                .collect(),
            is_repaired: self.is_repaired,
        }
    }

    /// Returns a reader of the row's values.
    pub fn read(&self) -> RowReader<'_> {
        RowReader {
            row: self,
            is_read: vec![false; self.cells.len()].into(),
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

    /// Returns the columns that are not null and were not read, except those in `skipped`: derived values, and
    /// references to records that are not imported.
    pub fn unread(&self, skipped: &[&str]) -> Vec<String> {
        let is_read = self.is_read.borrow();
        let names = self.row.cells.iter().map(|(name, _)| name.as_str());
        names
            .zip(is_read.iter())
            .filter(|(name, is_read)| {
                !**is_read && !skipped.contains(name) && !SKIPPED_EVERYWHERE.contains(name)
            })
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    /// Returns the value of the column.
    pub fn cell(&self, column: &str) -> Option<&'r Cell<'r>> {
        let mut cells = self.row.cells.iter();
        let index = cells.position(|(name, _)| name.as_str() == column)?;
        self.is_read.borrow_mut()[index] = true;
        Some(&self.row.cells[index].1)
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

    /// Returns the first value that `read` finds in these columns. Reads all of them.
    pub fn first<T>(
        &self,
        columns: impl IntoIterator<Item = &'static str>,
        read: impl Fn(&Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        let values = columns.into_iter().filter_map(|column| read(self, column));
        // All columns are read, so that none is reported as unknown.
        values.reduce(|first, _| first)
    }

    /// Returns the text in the first of these columns that holds one.
    pub fn first_text(&self, columns: &[&'static str]) -> Option<Cow<'r, str>> {
        self.first(columns.iter().copied(), Self::text)
    }

    /// Returns the date in the first of these columns that holds one.
    pub fn first_date(&self, columns: &[&'static str]) -> Option<Timestamp> {
        self.first(columns.iter().copied(), Self::date)
    }

    /// Returns the URL of an image in the first of these columns that holds one. A URL that runs code counts as absent.
    pub fn first_image(
        &self,
        columns: impl IntoIterator<Item = &'static str>,
    ) -> Option<Cow<'r, str>> {
        self.first(columns, |row, column| row.url(column, Usage::Image))
    }

    /// Returns the URL of a link in the column. A URL that runs code counts as absent.
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
            cell => cell.date(),
        };
        match date {
            Some(date) => Some(whole_seconds(date)),
            None => self.unreadable_column(column),
        }
    }

    /// Returns the key in the column: that of the row itself, or of a row that it refers to.
    pub fn key(&self, column: &'static str) -> Option<RowKey> {
        match self.cell(column)? {
            Cell::Text(text) if text.is_empty() => None,
            Cell::Text(text) => Some(RowKey::of(text)),
            Cell::Whole(number) => Some(RowKey::of(&number.to_string())),
            _ => self.unreadable_column(column),
        }
    }

    fn unreadable_column<T>(&self, column: &'static str) -> Option<T> {
        self.unreadable_columns.borrow_mut().push(column);
        None
    }
}

/// The row in a JSON value; `None` if the value is not an object.
struct ReadRow<'a>(Option<Row<'a>>);

struct RowVisitor;

impl<'de> Deserialize<'de> for ReadRow<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RowVisitor).map(Self)
    }
}

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Option<Row<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut row = Row::default();
        while let Some(Name(name)) = map.next_key()? {
            let value: Option<Cell> = map.next_value()?;
            // If a column is repeated, the last value counts, as usual in JSON.
            row.cells.retain(|(known, _)| known.as_str() != name);
            row.cells
                .extend(value.map(|cell| (ColumnName::Read(name), cell)));
            if row.cells.len() > COLUMNS_MAX {
                return Err(M::Error::custom(format_args!(
                    "a row has more than {COLUMNS_MAX} columns"
                )));
            }
        }
        Ok(Some(row))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Self::Value, S::Error> {
        // `serde_json` returns an error for a list that is not read to its end.
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

/// The name of a column, borrowed from the file where possible.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    fn row(json: &str) -> Row<'_> {
        Row::parse(json.as_bytes()).unwrap().unwrap()
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
    fn last_hours_of_9999_are_imported() {
        for json in ["\"9999-12-31T23:59:59.000Z\"", "\"9999-12-31 23:59:59\""] {
            let json = format!("{{\"a\": {json}}}");
            let date = row(&json).read().date("a").map(clock::written);
            assert_eq!(date.as_deref(), Some("9999-12-31T23:59:59Z"), "{json}");
        }
    }

    #[test]
    fn invalid_value_counts_as_absent_and_is_reported() {
        let row = &row(r#"{"id": {}, "a": "soon", "b": [1], "c": -1}"#);
        let row = row.read();
        assert_eq!(row.key("id"), None);
        assert_eq!(
            (row.date("a"), row.switch("a"), row.whole("a")),
            (None, None, None)
        );
        assert_eq!((row.text("b"), row.count("c")), (None, None));
        assert_eq!(row.unreadable_columns(), ["a", "b", "c", "id"]);
    }

    #[test]
    fn columns_that_are_not_read_are_named() {
        let row = &row(r#"{"a": 1, "b": "", "c": 2, "d": null, "created_by": 1, "uuid": "u"}"#);
        let row = row.read();
        assert_eq!(row.first_text(&["a", "c"]).as_deref(), Some("1"));
        assert_eq!(row.unread(&["uuid"]), ["b"]);
    }

    #[test]
    fn last_value_of_a_repeated_column_counts() {
        let row = row(r#"{"a": 1, "b": 2, "a": 3, "b": null}"#);
        let row = row.read();
        assert_eq!((row.whole("a"), row.whole("b")), (Some(3), None));
    }

    #[test]
    fn row_of_too_many_columns_is_refused() {
        let row_of = |columns: usize| {
            let columns: Vec<String> = (0..columns).map(|n| format!("\"{n}\":1")).collect();
            format!("{{{}}}", columns.join(","))
        };
        assert!(Row::parse(row_of(COLUMNS_MAX).as_bytes()).is_ok());
        assert!(Row::parse(row_of(COLUMNS_MAX + 1).as_bytes()).is_err());
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
            assert!(Row::parse(json.as_bytes()).unwrap().is_none(), "{json}");
        }
        assert!(Row::parse(b"{\"a\": 1,}").is_err());
    }
}
