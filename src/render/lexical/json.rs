//! Documents as JSON.
//!
//! Parsing is half of the work on a document. Strings are therefore borrowed from the document
//! where they contain no escapes, and an object is a list of its members: nodes have fewer than a
//! dozen, for which a linear search is faster than hashing.

use std::borrow::Cow;
use std::collections::hash_map::{Entry, HashMap};
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

use super::document_error::DocumentError;
use crate::render::limits::JsonCost;

/// Replaces half of a surrogate pair, as in JavaScript when such a text is encoded as UTF-8.
const REPLACEMENT: &str = "\\ufffd";

/// Initial capacity of an object: as many members as a text node has.
const MEMBERS_CAPACITY: usize = 8;

/// Memory taken by an array or object, and by a value or the name of a member, in bytes.
pub(in crate::render) const COST: JsonCost = JsonCost {
    container: 32,
    part: 32,
};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::render) enum Value<'d> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'d, str>),
    Array(Vec<Value<'d>>),
    Object(Members<'d>),
}

/// The members of an object, in the order of the document. If several have the same name, the last
/// one counts.
#[derive(Clone, Debug, Default)]
pub(in crate::render) struct Members<'d>(Vec<(Cow<'d, str>, Value<'d>)>);

impl<'d> Members<'d> {
    /// Returns an empty list of members.
    pub(in crate::render) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the value of the member called `name`.
    pub(in crate::render) fn get(&self, name: &str) -> Option<&Value<'d>> {
        let mut members = self.0.iter().rev();
        members.find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Returns the value of the member called `name`, mutably.
    pub(in crate::render) fn get_mut(&mut self, name: &str) -> Option<&mut Value<'d>> {
        let mut members = self.0.iter_mut().rev();
        members.find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Returns the values.
    pub(in crate::render) fn values(&self) -> impl Iterator<Item = &Value<'d>> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns one member per name, at the position of the first one and with the value of the last
    /// one.
    fn distinct(&self) -> Vec<(&str, &Value<'d>)> {
        // A hash map here, unlike in `get`: an object from a client may have many thousands of
        // members.
        let mut positions: HashMap<&str, usize> = HashMap::new();
        let mut distinct: Vec<(&str, &Value<'d>)> = Vec::with_capacity(self.0.len());
        for (name, value) in &self.0 {
            match positions.entry(name.as_ref()) {
                Entry::Occupied(position) => distinct[*position.get()].1 = value,
                Entry::Vacant(position) => {
                    position.insert(distinct.len());
                    distinct.push((name, value));
                }
            }
        }
        distinct
    }
}

impl PartialEq for Members<'_> {
    /// Returns whether both have the same members, in any order.
    fn eq(&self, other: &Self) -> bool {
        let (mut own, mut others) = (self.distinct(), other.distinct());
        own.sort_unstable_by_key(|(name, _)| *name);
        others.sort_unstable_by_key(|(name, _)| *name);
        own == others
    }
}

impl<'d> Value<'d> {
    /// Returns the value of the member called `name`, if this is an object with such a member.
    pub(in crate::render) fn get(&self, name: &str) -> Option<&Value<'d>> {
        self.as_object()?.get(name)
    }

    pub(in crate::render) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(in crate::render) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub(in crate::render) fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    pub(in crate::render) fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(in crate::render) fn as_array(&self) -> Option<&[Value<'d>]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    pub(in crate::render) fn as_array_mut(&mut self) -> Option<&mut Vec<Value<'d>>> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    pub(in crate::render) fn as_object_mut(&mut self) -> Option<&mut Members<'d>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(in crate::render) fn as_object(&self) -> Option<&Members<'d>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(is_true) => serializer.serialize_bool(*is_true),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(values) => serializer.collect_seq(values),
            Self::Object(members) => serializer.collect_map(members.distinct()),
        }
    }
}

impl PartialEq<str> for Value<'_> {
    fn eq(&self, text: &str) -> bool {
        self.as_str() == Some(text)
    }
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(is_true))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value<'de>, E> {
        let number = Number::from_f64(number);
        let number = number.ok_or_else(|| E::custom("number out of range"))?;
        Ok(Value::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element()? {
            values.push(value);
        }
        // `COST` counts no unused capacity.
        values.shrink_to_fit();
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(Name(name)) = entries.next_key()? {
            // Only once a member is known: an empty object allocates nothing.
            if members.is_empty() {
                members.reserve(MEMBERS_CAPACITY);
            }
            members.push((name, entries.next_value()?));
        }
        members.shrink_to_fit();
        Ok(Value::Object(Members(members)))
    }
}

/// The name of a member, borrowed where possible, unlike serde's `Cow`.
struct Name<'d>(Cow<'d, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a member")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// Parses the JSON in `text`. An escaped half of a surrogate pair becomes U+FFFD, and the repaired
/// text is stored in `repaired`. JavaScript accepts such halves, and editors leave them when they
/// split an emoji.
pub(in crate::render) fn parse<'t, T: Deserialize<'t>>(
    text: &'t str,
    repaired: &'t mut String,
) -> Result<T, DocumentError> {
    // Lone halves are rare, so the text is searched for them only if it does not parse.
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => DocumentError::NotJson(error.to_string()),
    };
    // The caller owns the repaired text, as the value borrows from it.
    *repaired = without_lone_surrogates(text).ok_or(error)?;
    serde_json::from_str(repaired).map_err(|error| DocumentError::NotJson(error.to_string()))
}

/// Serialises a value as JSON without white space. Of members with the same name, only the last one
/// is written.
pub(in crate::render) fn written(value: &Value<'_>) -> Result<String, DocumentError> {
    serde_json::to_string(value).map_err(|error| DocumentError::NotJson(error.to_string()))
}

/// Replaces escaped halves of surrogate pairs; `None` if there are none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some(offset) = memchr::memchr(b'\\', &text.as_bytes()[position..]) {
        let start = position + offset;
        // A backslash may escape the next backslash, so both are skipped.
        position = (start + 2).min(text.len());
        match escaped_unit(text, start) {
            Some(0xD800..=0xDBFF) if is_low_surrogate(escaped_unit(text, start + 6)) => {
                position = start + 12;
            }
            Some(0xD800..=0xDFFF) => {
                repaired.push_str(&text[copied..start]);
                repaired.push_str(REPLACEMENT);
                position = start + 6;
                copied = position;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&text[copied..]);
    Some(repaired)
}

fn is_low_surrogate(unit: Option<u16>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// Returns the UTF-16 code unit whose escape begins at `start`.
fn escaped_unit(text: &str, start: usize) -> Option<u16> {
    let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced() {
        for (text, read) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ude00""#, "\u{fffd}"),
            (r#""\ud83d\ude00 \ud83d""#, "😀 \u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d \ude00""#, "\\ud83d \u{fffd}"),
            (r#""\uD83D\n""#, "\u{fffd}\n"),
        ] {
            let mut repaired = String::new();
            let found: Value<'_> = parse(text, &mut repaired).unwrap();
            assert_eq!(found, Value::String(read.into()), "{text}");
        }
    }

    #[test]
    fn values_are_parsed_and_the_last_of_equal_names_wins() {
        let text = r#"{"a":1,"b":[null,true,-2,0.5,"c\n"],"a":{"d":"e"},"":18446744073709551615}"#;
        let mut repaired = String::new();
        let value: Value<'_> = parse(text, &mut repaired).unwrap();
        let number = |number: serde_json::Value| Value::Number(number.as_number().unwrap().clone());

        assert_eq!(value.get("a").and_then(|a| a.get("d")?.as_str()), Some("e"));
        assert_eq!(value.get("").and_then(Value::as_u64), Some(u64::MAX));
        assert_eq!(value.get("c"), None);
        let list = [
            Value::Null,
            Value::Bool(true),
            number((-2).into()),
            number(0.5.into()),
            Value::String("c\n".into()),
        ];
        assert_eq!(value.get("b").and_then(Value::as_array), Some(&list[..]));
    }

    #[test]
    fn other_errors_are_reported() {
        for text in [
            "",
            "{",
            r#""\ud83"#,
            r#""\ud83d"#,
            "\"\\",
            "\"\\é",
            "[1e999]",
        ] {
            assert!(
                matches!(
                    parse::<Value<'_>>(text, &mut String::new()),
                    Err(DocumentError::NotJson(_))
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let is_accepted = |depth| parse::<Value<'_>>(&nested(depth), &mut String::new()).is_ok();
        assert!(is_accepted(127));
        assert!(!is_accepted(128));
    }
}
