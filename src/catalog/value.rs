//! The value of one field of one record, for filters and orders.

use std::{borrow::Cow, cmp::Ordering};

use jiff::Timestamp;
use uuid::Uuid;

use crate::{clock, collation, id::Id};

/// The value of a field, borrowed from the record if possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Not set.
    Null,
    /// A boolean, which compares with numbers as 1 or 0.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Text, compared as people read it.
    Text(Cow<'a, str>),
    /// A time in seconds, or in milliseconds for dates of change.
    Time(Timestamp),
    /// An identifier, which compares with text by its digits.
    Id(Id),
    /// A UUID, which compares with text by its hyphenated form.
    Uuid(Uuid),
}

impl<'a> Value<'a> {
    /// Returns the text as a value, or null for `None`.
    pub fn optional_text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }

    /// Returns the time as a value, or null for `None`.
    pub fn optional_time(time: Option<Timestamp>) -> Self {
        time.map_or(Self::Null, Self::Time)
    }

    /// Returns whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the value as text, for "contains", "begins with" and "ends with" tests; `None` for
    /// null.
    pub fn to_text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Null => return None,
            // These are the texts that MySQL compares: booleans are numbers, and times have no
            // zone.
            Self::Boolean(value) => Cow::Borrowed(if *value { "1" } else { "0" }),
            Self::Integer(value) => Cow::Owned(value.to_string()),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Time(time) => {
                Cow::Owned(clock::utc(*time).strftime("%Y-%m-%d %H:%M:%S").to_string())
            }
            Self::Id(id) => Cow::Owned(id.to_string()),
            Self::Uuid(uuid) => Cow::Owned(uuid.to_string()),
        })
    }

    /// Compares two values of a field; null is lowest (Ghost 6.65, recorded).
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Null, _) => Ordering::Less,
            (_, Self::Null) => Ordering::Greater,
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => collation::compare(a, b),
            (Self::Time(a), Self::Time(b)) => a.cmp(b),
            (Self::Id(a), Self::Id(b)) => a.cmp(b),
            (Self::Uuid(a), Self::Uuid(b)) => a.cmp(b),
            (a, b) => a.to_text().cmp(&b.to_text()),
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}
