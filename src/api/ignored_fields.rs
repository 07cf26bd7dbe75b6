//! The fields of a request that were ignored. They are named in a header field of the response and in
//! the audit log.
//!
//! Unknown and read-only fields are ignored, because clients send whole records back (Ghost 6.65,
//! recorded). The route of an endpoint defines the fields of its records, so this module finds ignored
//! fields for all resources, by comparing the request with the record in the response. A field without a
//! row is ignored unless the response contains exactly the value sent; a field with a row is ignored
//! unless the response contains the value in any form. Operations report fields that no response
//! contains.

use std::collections::BTreeMap;

use http::HeaderName;
use serde_json::{Map, Value, value::RawValue};

use super::{
    admin::{
        Reply,
        input::{InputField, InputType},
        reply::ReplyBody,
    },
    routes::route::{Input, Route},
};
use crate::{admin::ignored_fields::NAMES_MAX, id::Id};

/// The header field with the names of ignored fields, separated by commas.
pub static IGNORED_FIELDS: HeaderName = HeaderName::from_static("galley-ignored-fields");

/// Longest value that is compared with the response, in bytes of JSON. An unknown field with a longer
/// value counts as ignored.
const COMPARED_BYTES_MAX: usize = 8 << 10;

/// Longest value of a response that is compared, in bytes of JSON. Lists of records are shorter.
const STORED_BYTES_MAX: usize = 1 << 20;

/// Most fields of a record that are checked. No resource has records with more fields.
const FIELDS_MAX: usize = 1000;

/// Longest name that is reported, in bytes.
const NAME_BYTES_MAX: usize = 80;

/// Longest value of the header field, in bytes.
const HEADER_BYTES_MAX: usize = 2000;

/// The fields by which a record in a list is identified.
const IDENTIFYING: [&str; 4] = ["id", "slug", "email", "name"];

/// The field that every change sets, so that it never counts as ignored.
const ALWAYS_NEW: &str = "updated_at";

/// The fields with bodies of posts. They are not compared, because responses contain another form of the body.
const BODIES: [&str; 3] = ["html", "lexical", "mobiledoc"];

/// The field that may be sent as a filter of members, so that its text is not compared.
const VISIBILITY: &str = "visibility";

/// The body of a request.
#[derive(Debug, Default)]
pub struct SentFields {
    /// The fields without a row; the value is `None` if it is too long to be compared.
    others: Vec<(String, Option<Value>)>,
    /// The fields with a row.
    known: Vec<(&'static InputField, Value)>,
    /// The name of the envelope; empty for a body without one.
    envelope: &'static str,
}

impl SentFields {
    /// Returns the fields in the body of a request for `route`.
    pub fn of(route: &Route, body: Option<&Value>) -> Self {
        let Some(Value::Object(body)) = body else {
            return Self::default();
        };
        let (envelope, fields, record) = match route.input {
            Input::Record(envelope, fields) => {
                match body.get(envelope).and_then(|list| list.get(0)) {
                    Some(Value::Object(record)) => (envelope, fields, record),
                    _ => return Self::default(),
                }
            }
            Input::Fields(fields) => ("", fields, body),
            _ => return Self::default(),
        };
        let mut sent = Self {
            envelope,
            ..Self::default()
        };
        for (key, value) in record.iter().take(FIELDS_MAX) {
            match fields.iter().find(|field| field.name == key) {
                Some(field) => sent.known.extend(compared(field, value)),
                None => sent.others.push((key.clone(), comparable(value))),
            }
        }
        if !envelope.is_empty() {
            // Fields next to the envelope do not belong to a record, so no endpoint stores them.
            let beside = body.iter().filter(|(key, _)| *key != envelope);
            let beside = beside.take(FIELDS_MAX);
            sent.others
                .extend(beside.map(|(key, _)| (key.clone(), None)));
        }
        sent
    }

    /// Returns the names of the ignored fields: first those that the operation `reported`, then those
    /// that a successful reply lacks.
    pub fn ignored(self, reported: Vec<String>, reply: &Reply) -> Vec<String> {
        let mut names = reported;
        if self.others.is_empty() && self.known.is_empty() {
            return names;
        }
        let record = StoredRecord::in_reply(reply, self.envelope);
        for (name, value) in self.others {
            let is_stored = match (&value, record.get(&name)) {
                (Some(sent), Some(stored)) => {
                    *sent == stored || sent.is_null() || name == ALWAYS_NEW
                }
                // If the record lacks the field, ignoring null loses nothing.
                (Some(sent), None) => sent.is_null(),
                (None, _) => false,
            };
            if !is_stored {
                names.push(name);
            }
        }
        for (field, sent) in &self.known {
            match (sent, record.get(field.name)) {
                (Value::Array(sent), Some(Value::Array(stored))) => {
                    names.extend(ignored_of_list(field.name, sent, &stored));
                }
                (sent, Some(stored)) if is_lost(field, sent, &stored) => {
                    names.push(field.name.to_owned());
                }
                _ => {}
            }
        }
        let mut unique: Vec<String> = Vec::new();
        for name in names.into_iter().map(shortened) {
            if unique.len() < NAMES_MAX && !unique.contains(&name) {
                unique.push(name);
            }
        }
        unique
    }
}

/// The record in a response. Only the values that are compared are parsed.
#[derive(Default)]
struct StoredRecord<'r>(BTreeMap<String, &'r RawValue>);

impl<'r> StoredRecord<'r> {
    /// Returns the first record in an envelope, or the reply itself if the envelope has no name. Without a
    /// record, the result has no values.
    fn in_reply(reply: &'r Reply, envelope: &str) -> Self {
        let ReplyBody::Json(json) = &reply.body else {
            return Self::default();
        };
        let Ok(whole) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(json) else {
            return Self::default();
        };
        if envelope.is_empty() {
            return Self(whole);
        }
        let records = whole.get(envelope).and_then(|records| {
            serde_json::from_str::<Vec<BTreeMap<String, &RawValue>>>(records.get()).ok()
        });
        let record = records.and_then(|records| records.into_iter().next());
        Self(record.unwrap_or_default())
    }

    /// Returns a value; `None` if it is missing or too long to be compared.
    fn get(&self, name: &str) -> Option<Value> {
        let raw = self.0.get(name)?.get();
        let is_short = raw.len() <= STORED_BYTES_MAX;
        is_short.then(|| serde_json::from_str(raw).ok()).flatten()
    }
}

/// Returns a known field with the part of its value that is compared with the response.
fn compared(field: &'static InputField, value: &Value) -> Option<(&'static InputField, Value)> {
    if is_empty(value) || field.name == ALWAYS_NEW || BODIES.contains(&field.name) {
        return None;
    }
    let value = match value {
        Value::Array(list) => {
            let elements = list.iter().take(NAMES_MAX);
            elements.filter_map(of_element).collect()
        }
        value => comparable(value)?,
    };
    Some((field, value))
}

/// Returns an element of a list, without the lists and objects in it.
fn of_element(element: &Value) -> Option<Value> {
    let Value::Object(record) = element else {
        return comparable(element);
    };
    let scalars = record
        .iter()
        .filter(|(_, value)| !value.is_array() && !value.is_object());
    let scalars = scalars.filter_map(|(key, value)| Some((key.clone(), comparable(value)?)));
    Some(Value::Object(scalars.collect()))
}

fn comparable(value: &Value) -> Option<Value> {
    let is_short = match value {
        Value::String(text) => text.len() <= COMPARED_BYTES_MAX,
        Value::Array(_) | Value::Object(_) => value.to_string().len() <= COMPARED_BYTES_MAX,
        _ => true,
    };
    is_short.then(|| value.clone())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// Returns whether the stored value of a known field does not correspond to the value sent, in any form.
fn is_lost(field: &InputField, sent: &Value, stored: &Value) -> bool {
    if sent == stored {
        return false;
    }
    match (sent, stored) {
        (_, stored) if is_empty(stored) => true,
        (Value::String(sent), Value::String(stored)) => match field.kind {
            // The status of a post that is only mailed becomes "sent" when it is published.
            InputType::Choice(_) => stored != "sent",
            // Dates may be stored with another precision and time zone.
            InputType::Time => false,
            _ => field.name != VISIBILITY && is_unrelated(sent, stored),
        },
        // Numbers and booleans may be stored as text.
        (Value::Bool(_) | Value::Number(_), Value::String(_)) => false,
        (Value::Number(sent), Value::Number(stored)) => sent.as_f64() != stored.as_f64(),
        (Value::Object(sent), Value::Object(stored)) => {
            let is_same = |key: &&str| {
                sent.get(*key)
                    .is_some_and(|id| stored.get(*key) == Some(id))
            };
            !IDENTIFYING.iter().any(is_same)
        }
        (Value::Array(_), Value::Array(_)) => false,
        _ => true,
    }
}

/// Returns whether neither text contains the other, comparing only letters and digits. A text that is
/// stored as a slug, a URL or a code keeps the letters and digits that were sent, or the first of them.
fn is_unrelated(sent: &str, stored: &str) -> bool {
    let alphanumeric = |text: &str| -> String {
        let alphanumeric = text.chars().filter(char::is_ascii_alphanumeric);
        alphanumeric
            .map(|character| character.to_ascii_lowercase())
            .collect()
    };
    // Texts in other scripts are not compared, because they are transliterated in slugs.
    let (sent_key, stored_key) = (alphanumeric(sent), alphanumeric(stored));
    sent.is_ascii() && !stored_key.contains(&sent_key) && !sent_key.contains(&stored_key)
}

/// Returns the parts of a list of records that the response lacks: the name of the list for a missing record, and the names
/// of missing values of a record.
fn ignored_of_list(list: &str, sent: &[Value], stored: &[Value]) -> Vec<String> {
    let mut names = Vec::new();
    let text = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str);
        text.map(|text| text.trim().to_lowercase())
    };
    for element in sent {
        let is_same = |stored: &&Value| match element {
            Value::Object(record) => {
                let identity = IDENTIFYING.iter().find(|key| record.contains_key(**key));
                identity.is_some_and(|key| {
                    let stored = text(stored.get(key));
                    stored.is_some() && text(record.get(*key)) == stored
                })
            }
            word => {
                let mut identities = IDENTIFYING.iter();
                identities.any(|key| text(stored.get(key)) == text(Some(word)))
                    || text(Some(stored)) == text(Some(word))
            }
        };
        let found = stored.iter().find(is_same);
        match (element, found) {
            (Value::Object(sent), Some(Value::Object(stored))) => {
                names.extend(ignored_of_record(list, sent, stored));
            }
            (Value::Object(sent), None) => {
                let has_identity = IDENTIFYING.iter().any(|key| sent.contains_key(*key));
                // An element without an identity cannot be found in the stored list, so it counts
                // as stored if that list has any elements.
                if has_identity || sent.is_empty() || stored.is_empty() {
                    names.push(list.to_owned());
                }
            }
            (word, None) if !is_empty(word) => names.push(list.to_owned()),
            _ => {}
        }
    }
    names
}

fn ignored_of_record(
    list: &str,
    sent: &Map<String, Value>,
    stored: &Map<String, Value>,
) -> Vec<String> {
    let is_lost = |key: &str, value: &Value| match stored.get(key) {
        Some(Value::String(stored)) => {
            let sent = value.as_str().unwrap_or_default();
            !value.is_null() && key != ALWAYS_NEW && is_unrelated(sent, stored)
        }
        Some(stored) => stored != value && !value.is_null() && key != ALWAYS_NEW,
        None => !is_empty(value),
    };
    let lost = sent.iter().filter(|(key, value)| is_lost(key, value));
    lost.map(|(key, _)| format!("{list}.{key}")).collect()
}

fn shortened(mut name: String) -> String {
    let end = name.floor_char_boundary(NAME_BYTES_MAX.min(name.len()));
    name.truncate(end);
    name
}

/// Returns the value of the header field. Characters that do not occur in the names of Ghost's fields are
/// percent-encoded. A value that would be too long is truncated and ends with `...`.
pub fn header_value(names: &[String]) -> String {
    let mut value = String::new();
    for name in names {
        let name: String = name.bytes().map(escaped).collect();
        if value.len() + name.len() > HEADER_BYTES_MAX {
            value.push_str(", ...");
            break;
        }
        if !value.is_empty() {
            value.push_str(", ");
        }
        value.push_str(&name);
    }
    value
}

fn escaped(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    }
}

/// Returns the identifier of the record in a reply.
pub fn record_of(route: &Route, reply: &Reply) -> Option<Id> {
    let Input::Record(envelope, _) = route.input else {
        return None;
    };
    let id = StoredRecord::in_reply(reply, envelope).get("id")?;
    id.as_str()?.parse().ok()
}
