//! Converts values of settings and front matter to text.

use serde_json::{Map, Value};

/// Returns the string, number or Boolean at a dotted name in `map`, as text.
pub(super) fn value_at(map: &Map<String, Value>, name: &str) -> Option<String> {
    // A key may itself contain dots.
    if let Some(value) = map.get(name) {
        return scalar_text(value);
    }
    let mut parts = name.split('.');
    let first = map.get(parts.next()?)?;
    scalar_text(parts.try_fold(first, |value, part| value.get(part))?)
}

/// Returns a string, number or Boolean as text; `None` for other values.
pub(super) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
