//! Properties of nodes, with defaults for missing and mistyped values.
//!
//! The editor and Ghost's renderer are written in JavaScript, so values are converted by the rules
//! of JavaScript.

use std::borrow::Cow;

use serde_json::Number;

use super::json::{Members, Value};

pub(in crate::render) use crate::render::heading_id::is_blank as is_white_space;

/// The properties of one node.
#[derive(Clone, Copy)]
pub(in crate::render) struct Properties<'a>(pub(in crate::render) &'a Members<'a>);

impl<'a> Properties<'a> {
    /// Returns the property unchanged; null if missing.
    pub(in crate::render) fn get(self, name: &str) -> &'a Value<'a> {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// Returns a property as text; empty if its value is falsy.
    pub(in crate::render) fn text(self, name: &str) -> Cow<'a, str> {
        self.text_or(name, "")
    }

    /// Returns a property as text; `default` replaces every falsy value.
    pub(in crate::render) fn text_or(self, name: &str, default: &'a str) -> Cow<'a, str> {
        let value = self.get(name);
        if is_truthy(value) {
            as_text(value)
        } else {
            Cow::Borrowed(default)
        }
    }

    /// Returns a property as text; `default` replaces null only.
    pub(in crate::render) fn text_unless_null(self, name: &str, default: &'a str) -> Cow<'a, str> {
        match self.get(name) {
            Value::Null => Cow::Borrowed(default),
            value => as_text(value),
        }
    }

    /// Returns a boolean property; `default` replaces null only.
    pub(in crate::render) fn is_on(self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Value::Null => default,
            value => is_truthy(value),
        }
    }

    /// Returns a property that must be a string; empty for falsy values. `None` for any other
    /// value, which JavaScript cannot trim.
    pub(in crate::render) fn strict_text(self, name: &str) -> Option<&'a str> {
        match self.get(name) {
            Value::String(text) => Some(text),
            value if is_truthy(value) => None,
            _ => Some(""),
        }
    }

    /// Returns an object property; empty if it is missing or not an object.
    pub(in crate::render) fn object(self, name: &str) -> Properties<'a> {
        static EMPTY: Members<'static> = Members::none();
        Properties(self.get(name).as_object().unwrap_or(&EMPTY))
    }
}

/// Returns whether a value is truthy.
pub(in crate::render) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// Returns whether a text is empty or white space only, as defined by JavaScript.
pub(in crate::render) fn is_blank(text: &str) -> bool {
    text.chars().all(is_white_space)
}

/// Returns a value converted to text.
pub(in crate::render) fn as_text<'a>(value: &'a Value<'a>) -> Cow<'a, str> {
    match value {
        Value::Null => Cow::Borrowed("null"),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Number(number) => Cow::Owned(number_as_text(number)),
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(values) => Cow::Owned(list_as_text(values)),
        Value::Object(_) => Cow::Borrowed("[object Object]"),
    }
}

/// Returns the values of a list, joined by commas. Nested lists are omitted, which bounds the
/// length of the result.
fn list_as_text(values: &[Value]) -> String {
    let texts = values.iter().map(|value| match value {
        Value::Null | Value::Array(_) => Cow::Borrowed(""),
        value => as_text(value),
    });
    texts.collect::<Vec<_>>().join(",")
}

fn number_as_text(number: &Number) -> String {
    match number.as_i64() {
        // JavaScript rounds larger integers.
        Some(number) if number.unsigned_abs() < 1 << 53 => number.to_string(),
        _ => float_as_text(number.as_f64().unwrap_or(f64::NAN)),
    }
}

/// Formats a number as in JavaScript, without an exponent from 0.000001 to below 10^21.
pub(in crate::render) fn float_as_text(number: f64) -> String {
    let magnitude = number.abs();
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned()
    } else if number == 0.0 {
        "0".to_owned()
    } else if (1e-6..1e21).contains(&magnitude) {
        number.to_string()
    } else if magnitude < 1.0 {
        format!("{number:e}")
    } else {
        format!("{number:e}").replace('e', "e+")
    }
}

/// Converts a value to a number. Blank strings are zero, and invalid ones `None`.
pub(in crate::render) fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(0.0),
        Value::Bool(is_true) => Some(f64::from(*is_true)),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.trim_matches(is_white_space) {
            "" => Some(0.0),
            digits if digits.bytes().any(is_no_part_of_number) => None,
            digits => digits.parse().ok(),
        },
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns whether a byte is a letter other than those of an exponent, to reject words such as
/// `inf`.
fn is_no_part_of_number(byte: u8) -> bool {
    byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')
}

/// Returns the lowest eight bits of a number without its fraction; for other values, 1 for `true`
/// and otherwise 0.
pub(in crate::render) fn low_bits(value: &Value) -> u8 {
    let number = match value {
        Value::Number(number) => number,
        _ => return u8::from(*value == Value::Bool(true)),
    };
    let whole = number
        .as_i64()
        .or_else(|| number.as_f64().map(|number| number as i64));
    whole.unwrap_or_default().to_le_bytes()[0]
}
