//! A value of a row.

use std::{borrow::Cow, fmt};

use jiff::{Timestamp, tz::Offset};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;

use crate::clock;

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

impl Cell<'_> {
    /// Returns the value with owned text.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Cell::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
            Cell::Switch(on) => Cell::Switch(on),
            Cell::Whole(number) => Cell::Whole(number),
            Cell::Number(number) => Cell::Number(number),
            Cell::Nested(value) => Cell::Nested(value),
        }
    }

    /// Returns the value as a date; `None` if it is not a date.
    pub fn date(&self) -> Option<Timestamp> {
        match self {
            Cell::Text(text) => date_of_text(text),
            Cell::Whole(number) => date_of_number(*number),
            // A floating-point number represents every whole number up to this limit exactly.
            Cell::Number(number) if number.abs() < 1e15 => date_of_number(number.round() as i64),
            _ => None,
        }
    }
}

/// Reads `2024-01-31T10:00:00.000Z`, `2024-01-31 10:00:00` (which is UTC) and `2024-01-31`, also with an offset.
fn date_of_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    clock::parse(text)
        .or_else(|| clock::instant(text.parse().ok()?, Offset::UTC))
        .or_else(|| date_of_number(text.parse().ok()?))
}

/// Reads milliseconds since 1970, or seconds if the number is too small to be milliseconds: as such it would be
/// a date before February 1970.
fn date_of_number(number: i64) -> Option<Timestamp> {
    /// The first of February 1970, in milliseconds. In seconds, the same number is a date in 2054.
    const MILLISECONDS_MIN: u64 = 31 * 24 * 60 * 60 * 1000;
    if number.unsigned_abs() < MILLISECONDS_MIN {
        Timestamp::from_second(number).ok()
    } else {
        Timestamp::from_millisecond(number).ok()
    }
}

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
                // Only text with escapes gets here; other text is borrowed from the row.
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
