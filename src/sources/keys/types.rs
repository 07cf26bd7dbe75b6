//! The types of values: how each is checked, what it becomes, and its JSON Schema.
//!
//! Texts with rules are in `words`, choices among a few in `choices`. Lengths are counted in characters and are Ghost's,
//! as recorded from its Admin API. An empty text is a text, for it may clear a setting; for most other types it
//! says nothing.

use std::marker::PhantomData;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::words::{Slug, report_active_url};
use super::{FieldType, Reader};
use crate::render::active_urls::{Usage, is_active};
use crate::sources::date;
use crate::sources::document::{Kind, Value};
use crate::sources::source::{Span, Spanned};

/// Text of at most `MAX` characters.
pub struct Text<const MAX: usize>;

impl<const MAX: usize> FieldType for Text<MAX> {
    type Value = String;
    const WANTED: &'static str = "text";
    const EXAMPLE: &'static str = "\"…\"";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<String> {
        let Some(mut text) = reader.text(value).map(|text| text.into_owned()) else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        check_length(&text, MAX, name, value.span, reader);
        if let Some((end, _)) = text.char_indices().nth(MAX).filter(|_| reader.is_lenient()) {
            text.truncate(end);
        }
        Some(text)
    }

    fn schema() -> Json {
        json!({ "type": "string", "maxLength": MAX })
    }
}

/// The name of somebody at another site, or the URL of their page there, of at most `MAX` characters.
pub struct Profile<const MAX: usize>;

impl<const MAX: usize> FieldType for Profile<MAX> {
    type Value = String;
    const WANTED: &'static str = Text::<MAX>::WANTED;
    const EXAMPLE: &'static str = Text::<MAX>::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<String> {
        let text = Text::<MAX>::read(value, name, reader)?;
        if is_active(&text, Usage::Link) {
            report_active_url(name, value.span, reader);
            return None;
        }
        Some(text)
    }

    fn schema() -> Json {
        Text::<MAX>::schema()
    }
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

impl FieldType for bool {
    type Value = bool;
    const WANTED: &'static str = "true or false";
    const EXAMPLE: &'static str = "true";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<bool> {
        match value.value {
            Kind::Boolean(boolean) => Some(boolean),
            _ => {
                reader.wrong_type::<Self>(value, name);
                None
            }
        }
    }

    fn schema() -> Json {
        json!({ "type": "boolean" })
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

/// An instant, to the second.
pub struct Date;

impl FieldType for Date {
    type Value = Timestamp;
    const WANTED: &'static str = "a date";
    const EXAMPLE: &'static str = "2025-01-05T10:00:00Z";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Timestamp> {
        let (Kind::Date(text) | Kind::Text(text)) = &value.value else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        if text.trim().is_empty() {
            return None;
        }
        let instant = date::parse(text, reader.time_zone);
        if instant.is_none() {
            let message = format!("`{name}` is not a date that can be read");
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

/// Returns the first `max` items of a list, and reports where those begin that are too many.
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

/// Reports a list of `count` items that may have `max`.
pub fn report_too_many(count: usize, max: usize, name: &str, span: Span, reader: &mut Reader<'_>) {
    reader.error(
        span,
        format!("`{name}` has {count} entries, but may have {max}"),
        format!("remove {} of them", count - max),
    );
}

/// A list of at most `MAX` `T`; a single one may stand without the list.
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

/// An address on a site of another generator (`/about/`, `/2020/01/about.html`), whose last part is kept as the slug.
pub struct Permalink;

impl FieldType for Permalink {
    type Value = Spanned<String>;
    const WANTED: &'static str = "a path";
    const EXAMPLE: &'static str = "\"/about/\"";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Spanned<String>> {
        let slug = match &value.value {
            Kind::Text(path) => last_part(path),
            _ => None,
        };
        if slug.is_none() {
            let message = format!("`{name}` has no effect: its last part is no slug");
            reader.warning(value.span, message, "set `slug` instead");
        }
        slug.map(|slug| Spanned::new(slug.to_owned(), value.span))
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

fn last_part(path: &str) -> Option<&str> {
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    let path = path
        .strip_suffix(".html")
        .unwrap_or(path)
        .trim_end_matches('/');
    let (_, last) = path.rsplit_once('/')?;
    Slug::fits(last).then_some(last)
}
