//! Conversions and comparisons of template values by the rules of JavaScript.

use std::rc::Rc;

use crate::templates::Value;

/// Converts a value to a string as JavaScript's `String` does: `undefined` and `null` are spelled out.
pub fn spelled(value: &Value) -> String {
    match value {
        Value::Undefined => "undefined".to_owned(),
        Value::Null => "null".to_owned(),
        other => other.to_string(),
    }
}

/// Parses the integer at the start of a value's text, as JavaScript's `parseInt` does.
pub fn whole_number(value: &Value) -> Option<i64> {
    let text = value.to_string();
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let number: i64 = digits[..length].parse().ok()?;
    Some(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

/// Converts a value to a number as JavaScript's `Number` does; NaN if it is not a number.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Undefined | Value::Object(_) => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(is_true) => f64::from(u8::from(*is_true)),
        Value::Number(number) => *number,
        Value::Time(time) => time.as_millisecond() as f64,
        // A list is converted by way of its text, so `[5]` is 5.
        Value::Text(_) | Value::Html(_) | Value::List(_) => {
            let text = value.to_string();
            match text.trim() {
                "" => 0.0,
                trimmed => trimmed.parse().unwrap_or(f64::NAN),
            }
        }
    }
}

/// Returns whether two values are the same by JavaScript's `===`: values of different types differ, and objects are the same only
/// if they are one object. Equal dates differ, because each date of a record is a separate object.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Number(one), Value::Number(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Html(one), Value::Html(other)) => std::sync::Arc::ptr_eq(one, other),
        (Value::List(one), Value::List(other)) => Rc::ptr_eq(one, other),
        (Value::Object(one), Value::Object(other)) => Rc::ptr_eq(one, other),
        _ => false,
    }
}

/// Returns whether a value is empty by lodash's `isEmpty`, for which numbers and booleans are empty too.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Time(_) => true,
        Value::Text(text) => text.is_empty(),
        // HTML is an object with the property `string`.
        Value::Html(_) => false,
        Value::List(items) => items.is_empty(),
        Value::Object(object) => object.names().is_empty(),
    }
}

/// Returns whether a value is an object with all of these properties.
pub fn has_all(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Object(object) => names.iter().all(|name| object.has(name)),
        _ => false,
    }
}

/// Returns whether a value is a post or a page.
pub fn is_post(value: &Value) -> bool {
    has_all(value, &["html", "title", "slug"])
}

/// Returns the items from index `from` up to, but not including, index `to`. As in JavaScript's `slice`, negative indexes count
/// from the end.
pub fn slice<T>(items: &[T], from: i64, to: i64) -> &[T] {
    let length = items.len() as i64;
    let index = |position: i64| {
        // Indexes beyond the ends are clamped and not an error.
        let position = if position < 0 {
            (length + position).max(0)
        } else {
            position.min(length)
        };
        position as usize
    };
    let (from, to) = (index(from), index(to));
    if from < to { &items[from..to] } else { &[] }
}

/// Returns whether a character is white space in JavaScript's regular expressions.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() && character != '\u{85}' || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_a_text() {
        assert_eq!(whole_number(&"12px".into()), Some(12));
        assert_eq!(whole_number(&" -3".into()), Some(-3));
        assert_eq!(whole_number(&"x".into()), None);
        assert_eq!(whole_number(&2.9.into()), Some(2));
        assert!(number(&"x".into()).is_nan());
        assert_eq!(number(&" 5 ".into()), 5.0);
    }

    #[test]
    fn slices_count_from_the_end_too() {
        assert_eq!(slice(&[1, 2, 3], 1, 9), [2, 3]);
        assert_eq!(slice(&[1, 2, 3], -1, 3), [3]);
        assert!(slice(&[1, 2, 3], 2, 1).is_empty());
    }
}
