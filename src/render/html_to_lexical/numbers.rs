//! Numbers in attributes, parsed as in JavaScript.

use serde_json::{Number, Value};

/// Parses the integer at the start of a text, ignoring leading white space (`parseInt`).
pub(in crate::render) fn leading_integer(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|character: char| !character.is_ascii_digit());
    let value: i64 = digits[..end.unwrap_or(digits.len())].parse().ok()?;
    Some(sign * value)
}

/// Parses a text as a number (`Number`) in decimal notation.
pub(in crate::render) fn decimal(text: &str) -> Option<f64> {
    let text = trimmed(text);
    let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let value: f64 = text.bytes().all(is_number).then(|| text.parse().ok())??;
    value.is_finite().then_some(value)
}

/// Returns a number as JSON. Integers have no fraction.
pub(in crate::render) fn json(number: f64) -> Value {
    // Up to here, the numbers of JavaScript represent every integer.
    const EXACT_MAX: f64 = (1_u64 << 53) as f64;
    if number.fract() == 0.0 && number.abs() <= EXACT_MAX {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Returns the text without white space at its ends, as JavaScript defines it.
pub(in crate::render) fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_integer_ends_with_its_digits() {
        for (text, value) in [
            (" 7 ", Some(7)),
            ("3abc", Some(3)),
            ("-2.7", Some(-2)),
            ("+4", Some(4)),
            ("x", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(leading_integer(text), value, "{text}");
        }
    }

    #[test]
    fn decimal_is_the_whole_text() {
        for (text, value) in [
            (" 64.50 ", Some(64.5)),
            ("1e3", Some(1000.0)),
            ("10px", None),
            ("inf", None),
            ("1e999", None),
            ("", None),
        ] {
            assert_eq!(decimal(text), value, "{text}");
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(json(3.0).to_string(), "3");
        assert_eq!(json(1.5).to_string(), "1.5");
        assert_eq!(json(f64::NAN), Value::Null);
    }
}
