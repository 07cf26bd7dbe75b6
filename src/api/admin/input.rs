//! The writable fields of records: a table for each resource, and the checks before an operation.
//!
//! A value that has the wrong type, is too long, or is not among the allowed words is rejected by
//! the name of its field (Ghost 6.65, recorded). Names without a row are ignored, because clients
//! send whole records back, including computed fields. The request schemas of the OpenAPI document
//! are generated from these tables as well. Texts have their rows in the table of the record's fields.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::envelope::malformed;
use crate::{
    admin::texts::TextChanges,
    catalog::fields::{Requests, StoredText, TextContent},
    clock,
    error::Result,
};

/// The type of a writable field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputType {
    /// Text of at most this number of characters.
    Text(usize),
    /// Text of at most this number of characters; numbers and booleans are stored as text.
    Scalar(usize),
    /// A URL or a relative reference (RFC 3986, section 4.1) of at most this number of characters:
    /// absolute, or a path on the site.
    Url(usize),
    /// True or false.
    Boolean,
    /// A whole number within these bounds.
    Integer(i64, i64),
    /// An instant: ISO 8601 with a time.
    Time,
    /// Exactly one of these words.
    Choice(&'static [&'static str]),
    /// A list of entries of this type; the operation checks further.
    List(ListEntry),
    /// An object; the operation checks further.
    Object,
    /// Any value; the operation checks further.
    Any,
}

/// The type of a list's entries, for the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListEntry {
    /// Text.
    Text,
    /// Records, each referenced by its identifier or another unique field.
    Record,
    /// Records, or texts that name one.
    RecordOrText,
}

/// A writable field.
#[derive(Clone, Copy, Debug)]
pub struct InputField {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type.
    pub kind: InputType,
    /// True if it accepts null.
    pub nullable: bool,
    /// True if a new record requires it.
    pub required: bool,
}

impl InputField {
    /// Returns a field that may be null or absent.
    pub const fn optional(name: &'static str, kind: InputType) -> Self {
        Self {
            name,
            kind,
            nullable: true,
            required: false,
        }
    }

    /// Returns a field that may be absent but not null.
    pub const fn set(name: &'static str, kind: InputType) -> Self {
        Self {
            nullable: false,
            ..Self::optional(name, kind)
        }
    }

    /// Returns a field that a new record requires.
    pub const fn required(name: &'static str, kind: InputType) -> Self {
        Self {
            required: true,
            ..Self::set(name, kind)
        }
    }
}

/// Returns the fields `own`, followed by the fields of `texts` that requests may set; `N` is the number
/// of both.
pub const fn with_texts<R, const N: usize>(
    own: &[InputField],
    texts: &[&StoredText<R>],
) -> [InputField; N] {
    let mut fields = [own[0]; N];
    let (mut count, mut row) = (0, 0);
    // Iterators are not available in constant functions.
    while count < own.len() {
        fields[count] = own[count];
        count += 1;
    }
    while row < texts.len() {
        if let Some(max) = texts[row].request_characters_max() {
            let kind = match texts[row].content {
                TextContent::Scalar(_) => InputType::Scalar(max),
                _ if matches!(texts[row].rules.requests, Requests::CheckedLater) => {
                    InputType::Text(max)
                }
                TextContent::Plain(_)
                | TextContent::Markup(_)
                | TextContent::Link
                | TextContent::Account(_) => InputType::Text(max),
                TextContent::Image | TextContent::Page | TextContent::Website => {
                    InputType::Url(max)
                }
            };
            fields[count] = InputField::optional(texts[row].name, kind);
            count += 1;
        }
        row += 1;
    }
    // The tables are statics, so a wrong `N` is an error of the compiler.
    assert!(count == N);
    fields
}

/// Returns the number of fields of `texts` that requests may set.
pub const fn writable<R>(texts: &[&StoredText<R>]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < texts.len() {
        count += texts[row].request_characters_max().is_some() as usize;
        row += 1;
    }
    count
}

/// A record as sent by a client, with checked fields.
pub struct Input {
    fields: Map<String, Value>,
}

impl Input {
    /// Checks a new record.
    ///
    /// # Errors
    ///
    /// `Validation` naming the field, or `0`, the position in the list, if a required field is
    /// missing.
    pub fn new_record(record: Map<String, Value>, table: &[InputField]) -> Result<Self> {
        let missing = table
            .iter()
            .find(|field| field.required && !record.contains_key(field.name));
        if let Some(field) = missing {
            return Err(malformed(
                "0",
                "required",
                format!("A new record requires \"{}\".", field.name),
            ));
        }
        Self::change(record, table)
    }

    /// Checks the changes to a record.
    ///
    /// # Errors
    ///
    /// `Validation` naming the field.
    pub fn change(mut record: Map<String, Value>, table: &[InputField]) -> Result<Self> {
        for field in table {
            let Some(value) = record.get_mut(field.name) else {
                continue;
            };
            if let InputType::Scalar(_) = field.kind {
                write_as_text(value);
            }
            // Null clears a field. Whether a field accepts null does not depend on its type.
            if !(value.is_null() && field.nullable) {
                check(field, value)?;
            }
        }
        Ok(Self { fields: record })
    }

    /// Returns whether the client sent this field.
    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// Returns the value as sent, including null; `None` if the field was not sent.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// Returns the text of a field: `None` if it was not sent, `Some(None)` if it is null or empty.
    pub fn text(&self, name: &str) -> Option<Option<&str>> {
        let value = self.fields.get(name)?;
        Some(value.as_str().filter(|text| !text.is_empty()))
    }

    /// Returns the texts of `table` that the client sent.
    pub fn texts<R>(&self, table: &[&'static StoredText<R>]) -> TextChanges<R> {
        let writable = table
            .iter()
            .filter(|field| field.request_characters_max().is_some());
        writable
            .filter_map(|field| Some((*field, self.text(field.name)?.map(str::to_owned))))
            .collect()
    }

    /// Returns the names of the fields of `table` that were sent as empty texts.
    pub fn emptied(&self, table: &[InputField]) -> Vec<&'static str> {
        let is_empty = |name| self.value(name).is_some_and(|value| value == "");
        let names = table.iter().map(|field| field.name);
        names.filter(|name| is_empty(name)).collect()
    }

    /// Returns a boolean field, if it was sent.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.fields.get(name)?.as_bool()
    }

    /// Returns an integer field, if it was sent.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.fields.get(name)?.as_i64()
    }

    /// Returns an instant in whole seconds: `None` if it was not sent, `Some(None)` if it is null.
    pub fn time(&self, name: &str) -> Option<Option<Timestamp>> {
        let value = self.fields.get(name)?;
        Some(value.as_str().and_then(parse_time))
    }

    /// Returns a list field, if it was sent.
    pub fn list(&self, name: &str) -> Option<&[Value]> {
        self.fields.get(name)?.as_array().map(Vec::as_slice)
    }
}

fn check(field: &InputField, value: &Value) -> Result<()> {
    let name = field.name;
    let wrong_type = |expected: &str| {
        Err(malformed(
            name,
            "type",
            format!("\"{name}\" must be {expected}."),
        ))
    };
    match (field.kind, value) {
        (
            InputType::Text(max) | InputType::Scalar(max) | InputType::Url(max),
            Value::String(text),
        ) if text.chars().count() > max => Err(malformed(
            name,
            "maxLength",
            format!("\"{name}\" has at most {max} characters."),
        )),
        (InputType::Text(_) | InputType::Scalar(_), Value::String(_)) => Ok(()),
        (InputType::Text(_) | InputType::Scalar(_), _) => wrong_type("text"),
        (InputType::Url(_), Value::String(text)) => {
            if is_uri_reference(text) {
                Ok(())
            } else {
                Err(malformed(
                    name,
                    "format",
                    format!(
                        "\"{name}\" must be a URL; \"{text}\" has characters that must be percent-encoded, or in Punycode in \
                         a host."
                    ),
                ))
            }
        }
        (InputType::Url(_), _) => wrong_type("a URL"),
        (InputType::Boolean, Value::Bool(_)) => Ok(()),
        (InputType::Boolean, _) => wrong_type("true or false"),
        (InputType::Integer(min, max), value) => match value.as_i64() {
            Some(number) if (min..=max).contains(&number) => Ok(()),
            Some(_) => Err(malformed(
                name,
                "range",
                format!("\"{name}\" must be a whole number from {min} to {max}."),
            )),
            None => wrong_type("a whole number"),
        },
        (InputType::Time, Value::String(text)) if parse_time(text).is_some() => Ok(()),
        (InputType::Time, _) => wrong_type(
            "a date with a time, such as 2026-02-01T09:30:00.000Z, at most 9999-12-31T23:59:59Z",
        ),
        (InputType::Choice(words), Value::String(text)) if words.contains(&text.as_str()) => Ok(()),
        (InputType::Choice(words), _) => Err(malformed(
            name,
            "enum",
            format!("\"{name}\" must be one of: {}.", words.join(", ")),
        )),
        (InputType::List(_), Value::Array(_)) | (InputType::Object, Value::Object(_)) => Ok(()),
        (InputType::List(_), _) => wrong_type("a list"),
        (InputType::Object, _) => wrong_type("an object"),
        (InputType::Any, _) => Ok(()),
    }
}

/// Replaces a number or boolean with the text that Ghost 6.65 stores for it (recorded with its SQLite
/// database).
fn write_as_text(value: &mut Value) {
    let text = match value {
        Value::Number(number) => number.to_string(),
        // `1.0` and `0.0`: the text that SQLite stores for a boolean.
        Value::Bool(is_true) => format!("{}.0", u8::from(*is_true)),
        _ => return,
    };
    *value = Value::String(text);
}

/// Returns whether the text contains only characters of a URI reference (RFC 3986, section 2), each
/// `%` before two hexadecimal digits, and at most one `#`. Paths are accepted, non-ASCII letters are
/// not (Ghost 6.65, recorded).
fn is_uri_reference(text: &str) -> bool {
    let belongs =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let is_encoded = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    text.bytes().all(belongs)
        && text.split('%').skip(1).all(is_encoded)
        && text.matches('#').count() <= 1
}

/// Parses an instant as [`parse_instant`], without the fraction of a second.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    parse_instant(text).map(clock::whole_seconds)
}

/// Parses an instant: a date, `T` or a space, hours, minutes and seconds, an optional fraction, and
/// `Z` or an offset (RFC 3339, section 5.6; Ghost 6.65, observed). Shorter and longer forms of ISO
/// 8601 and times after the year 9999 are rejected.
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    let (whole, rest) = text.split_at_checked("2026-02-01T09:30:00".len())?;
    let has_shape = whole.bytes().zip(0..).all(|(byte, index)| match index {
        4 | 7 => byte == b'-',
        10 => matches!(byte, b'T' | b't' | b' '),
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => rest,
    };
    let has_zone = match zone.as_bytes() {
        [b'Z' | b'z'] => true,
        // `+01`, `+0100` and `+01:00`.
        [b'+' | b'-', offset @ ..] => matches!(offset.len(), 2 | 4 | 5),
        _ => false,
    };
    if has_shape && has_zone {
        clock::parse(text)
    } else {
        None
    }
}
