//! Types of values: validation, parsed value, and JSON Schema.
//!
//! Texts with a format are in `words`, enumerations in `choices`. Lengths are counted in characters and are Ghost's, as
//! recorded from its Admin API. An empty text is a value, because it may clear a setting; most other types ignore it.

use std::marker::PhantomData;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::{
    content_files::{
        date,
        keys::{FieldType, Reader, words::report_active_url},
    },
    content_text::{
        Span,
        document::{Kind, Value},
    },
    render::active_urls::{Usage, is_active},
};

/// Text of at most `MAX` characters.
pub struct Text<const MAX: usize>;

impl<const MAX: usize> FieldType for Text<MAX> {
    type Value = String;
    const WANTED: &'static str = "text";
    const EXAMPLE: &'static str = "\"…\"";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<String> {
        read_text(MAX, value, name, reader)
    }

    fn schema() -> Json {
        text_schema(MAX)
    }
}

/// Reads a text of at most `max` characters.
pub fn read_text(max: usize, value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<String> {
    let Some(mut text) = reader.text(value).map(|text| text.into_owned()) else {
        reader.wrong_type::<Text<0>>(value, name);
        return None;
    };
    if reader.is_lenient() {
        cut_to(&mut text, max, name, value.span, reader)
    } else {
        check_length(&text, max, name, value.span, reader)
    }
    Some(text)
}

/// Returns the JSON Schema of a text of at most `max` characters.
pub fn text_schema(max: usize) -> Json {
    json!({ "type": "string", "maxLength": max })
}

/// A user name at another site, or a profile URL, of at most `MAX` characters.
pub struct Profile<const MAX: usize>;

impl<const MAX: usize> FieldType for Profile<MAX> {
    type Value = String;
    const WANTED: &'static str = Text::<MAX>::WANTED;
    const EXAMPLE: &'static str = Text::<MAX>::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<String> {
        read_account(MAX, value, name, reader)
    }

    fn schema() -> Json {
        Text::<MAX>::schema()
    }
}

/// Reads the name of an account or the URL of its page, of at most `max` characters.
pub(super) fn read_account(
    max: usize,
    value: &Value,
    name: &str,
    reader: &mut Reader<'_>,
) -> Option<String> {
    let text = read_text(max, value, name, reader)?;
    if is_active(&text, Usage::Link) {
        report_active_url(name, value.span, reader);
        return None;
    }
    Some(text)
}

/// Reports a text of more than `max` characters.
pub fn check_length(text: &str, max: usize, name: &str, span: Span, reader: &mut Reader<'_>) {
    let length = text.chars().count();
    if length > max {
        let advice = format!("shorten it by {}", length - max);
        reader.error(
            span,
            format!("`{name}` has {length} characters, but may have {max}"),
            advice,
        );
    }
}

/// Truncates a text of more than `max` characters after a word, and reports it.
fn cut_to(text: &mut String, max: usize, name: &str, span: Span, reader: &mut Reader<'_>) {
    let length = text.chars().count();
    // One character less than `max`, for the ellipsis.
    let Some((end, _)) = text.char_indices().nth(max - 1).filter(|_| length > max) else {
        return;
    };
    let message = format!(
        "`{name}` has {length} characters, but may have {max}: it is truncated here; the file has the whole text"
    );
    reader.warning(span, message, format!("shorten it by {}", length - max));
    let last_word = text[..end].rfind(char::is_whitespace);
    let end = match last_word {
        _ if text[end..].starts_with(char::is_whitespace) => end,
        // A text with few blanks, such as a Chinese one, is truncated at the limit instead.
        Some(blank) if blank > end / 2 => blank,
        _ => end,
    };
    text.truncate(text[..end].trim_end().len());
    text.push('…');
}

/// Parses a word that means yes or no in the files of most generators.
fn switch_word(text: &str) -> Option<bool> {
    let is_one = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match text {
        _ if is_one(["true", "yes", "on", "y"]) => Some(true),
        _ if is_one(["false", "no", "off", "n"]) => Some(false),
        _ => None,
    }
}

impl FieldType for bool {
    type Value = bool;
    const WANTED: &'static str = "true or false";
    const EXAMPLE: &'static str = "true";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<bool> {
        let switch = match &value.value {
            Kind::Boolean(boolean) => Some(*boolean),
            Kind::Text(text) if reader.takes_words() => switch_word(text.trim()),
            Kind::Integer(number @ (0 | 1)) if reader.is_lenient() => Some(*number == 1),
            _ => None,
        };
        if switch.is_none() {
            reader.wrong_type::<Self>(value, name);
        }
        switch
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
    }
}

/// Whether a generator builds or lists a document: `false` and `never` mean no.
pub struct VisibleFlag;

impl FieldType for VisibleFlag {
    type Value = bool;
    const WANTED: &'static str = "true or false";
    const EXAMPLE: &'static str = "true";

    fn read(value: &Value, _name: &str, _reader: &mut Reader<'_>) -> Option<bool> {
        Some(match &value.value {
            Kind::Boolean(boolean) => *boolean,
            Kind::Text(word) => {
                let word = word.trim();
                word != "never" && switch_word(word) != Some(false)
            }
            _ => true,
        })
    }

    fn schema() -> Json {
        json!({})
    }
}

/// Any value except `false` and an empty text.
pub struct AnyValue;

impl FieldType for AnyValue {
    type Value = bool;
    const WANTED: &'static str = "any value";
    const EXAMPLE: &'static str = "true";

    fn read(value: &Value, _name: &str, _reader: &mut Reader<'_>) -> Option<bool> {
        Some(value.value != Kind::Boolean(false))
    }

    fn schema() -> Json {
        json!({})
    }
}

/// The value of `published`: a boolean or a date.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub enum DateOrSwitch {
    /// A boolean.
    Switch(bool),
    /// A date.
    Date(Timestamp),
}

impl FieldType for DateOrSwitch {
    type Value = DateOrSwitch;
    const WANTED: &'static str = "true, false or a date";
    const EXAMPLE: &'static str = "true";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<DateOrSwitch> {
        let is_date = match &value.value {
            Kind::Date(_) => true,
            Kind::Text(text) => switch_word(text.trim()).is_none(),
            _ => false,
        };
        if is_date {
            Date::read(value, name, reader).map(DateOrSwitch::Date)
        } else {
            bool::read(value, name, reader).map(DateOrSwitch::Switch)
        }
    }

    fn schema() -> Json {
        json!({ "anyOf": [bool::schema(), Date::schema()] })
    }
}

/// A whole number from 0 to `MAX`.
pub struct Integer<const MAX: i64>;

impl<const MAX: i64> FieldType for Integer<MAX> {
    type Value = i64;
    const WANTED: &'static str = "a whole number";
    const EXAMPLE: &'static str = "500";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<i64> {
        match value.value {
            Kind::Integer(integer) if (0..=MAX).contains(&integer) => Some(integer),
            Kind::Integer(integer) => {
                let advice = format!("write a number from 0 to {MAX}");
                reader.error(value.span, format!("`{name}` may not be {integer}"), advice);
                None
            }
            _ => {
                reader.wrong_type::<Self>(value, name);
                None
            }
        }
    }

    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 0, "maximum": MAX })
    }
}

/// A timestamp, to the second.
pub struct Date;

impl FieldType for Date {
    type Value = Timestamp;
    const WANTED: &'static str = "a date";
    const EXAMPLE: &'static str = "2025-01-05T10:00:00Z";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Timestamp> {
        let text = match &value.value {
            Kind::Date(text) | Kind::Text(text) => text.as_str().into(),
            // Eight unquoted digits are a number: `20250105`.
            Kind::Integer(_) if reader.is_lenient() => reader.text(value).unwrap_or_default(),
            // A flag to show the date: `lastUpdated: false`.
            Kind::Boolean(_) if reader.is_lenient() => return None,
            _ => {
                reader.wrong_type::<Self>(value, name);
                return None;
            }
        };
        if text.trim().is_empty() {
            return None;
        }
        if reader.is_lenient() && date::is_of_file(&text) {
            let message = format!("`{name}` is the date of the file itself, which is not read");
            reader.warning(value.span, message, "write the date, as in 2025-01-05");
            return None;
        }
        let instant = date::parse(&text, reader.time_zone).or_else(|| {
            let excess = || date::parse_excess(&text, reader.time_zone);
            reader.is_lenient().then(excess).flatten()
        });
        if instant.is_none() {
            let message = format!("`{name}` is not a valid date");
            reader.error(
                value.span,
                message,
                "write it as 2025-01-05, 2025-01-05 10:00 or 2025-01-05T10:00:00+01:00",
            );
        }
        instant
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

/// Returns the first `max` items of a list, and reports excess items.
pub fn bounded<'v>(
    items: &'v [Value],
    max: usize,
    name: &str,
    reader: &mut Reader<'_>,
) -> &'v [Value] {
    let (items, too_many) = items.split_at(max.min(items.len()));
    if let Some(first) = too_many.first() {
        report_too_many(items.len() + too_many.len(), max, name, first.span, reader);
    }
    items
}

/// Reports a list of `count` items with at most `max` permitted.
pub fn report_too_many(count: usize, max: usize, name: &str, span: Span, reader: &mut Reader<'_>) {
    reader.error(
        span,
        format!("`{name}` has {count} entries, but may have {max}"),
        format!("remove {} of them", count - max),
    );
}

/// A list of at most `MAX` `T`; a single item may omit the list.
pub struct List<T, const MAX: usize>(PhantomData<T>);

impl<T: FieldType, const MAX: usize> FieldType for List<T, MAX> {
    type Value = Vec<T::Value>;
    const WANTED: &'static str = "a list";
    const EXAMPLE: &'static str = "[…]";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Vec<T::Value>> {
        let items = match &value.value {
            Kind::List(items) => bounded(items, MAX, name, reader),
            _ => std::slice::from_ref(value),
        };
        // In YAML, an empty item is null.
        let items = items.iter().filter(|item| item.value != Kind::Nothing);
        Some(
            items
                .filter_map(|item| T::read(item, name, reader))
                .collect(),
        )
    }

    fn schema() -> Json {
        let list = json!({ "type": "array", "items": T::schema(), "maxItems": MAX });
        json!({ "anyOf": [list, T::schema()] })
    }
}
