//! Determines which keys a text changed, for a merge with another text.

use serde_json::Value as Json;
use toml_edit::Datetime;

use super::{plan::Operation, value::KeyValue};

/// A change of a key, to be applied to another text.
pub struct MergedChange {
    /// The path of the key, with dots.
    pub name: String,
    /// The change; `None` if the other text changed the same key in another way.
    pub operation: Option<Operation>,
}

/// Returns the changes from `base` to `ours` that `theirs` does not contain.
pub fn changes(base: &Json, theirs: &Json, ours: &Json) -> Vec<MergedChange> {
    let mut changes = Vec::new();
    table(base, theirs, ours, &[], &mut changes);
    changes
}

fn table(
    base: &Json,
    theirs: &Json,
    ours: &Json,
    path: &[String],
    changes: &mut Vec<MergedChange>,
) {
    let entries = [base, ours].map(|table| table.as_object().into_iter().flatten());
    let [base_entries, our_entries] = entries;
    let mut keys: Vec<&String> = our_entries.map(|(key, _)| key).collect();
    let removed = base_entries.map(|(key, _)| key);
    keys.extend(removed.filter(|key| ours.get(*key).is_none()));
    for key in keys {
        let [old, their, our] = [base, theirs, ours].map(|table| table.get(key));
        if our == old || our == their {
            continue;
        }
        let path = [path, std::slice::from_ref(key)].concat();
        if [old, their, our]
            .iter()
            .all(|value| value.is_some_and(Json::is_object))
        {
            let nothing = Json::Null;
            let [old, their, our] = [old, their, our].map(|value| value.unwrap_or(&nothing));
            table(old, their, our, &path, changes);
            continue;
        }
        let name = path.join(".");
        let outer = path[..path.len() - 1].to_vec();
        let operation = match (their == old, our) {
            (false, _) => None,
            (true, None) => Some(Operation::Remove(path)),
            (true, Some(value)) => value_of(value).map(|value| match their {
                Some(_) => Operation::Set(path, value),
                None => Operation::Insert(outer, key.clone(), value),
            }),
        };
        changes.push(MergedChange { name, operation });
    }
}

/// Returns a value to write; `None` for numbers with a fraction, which no edit writes.
fn value_of(value: &Json) -> Option<KeyValue> {
    Some(match value {
        Json::Bool(is_true) => KeyValue::Boolean(*is_true),
        Json::Number(number) => KeyValue::Integer(number.as_i64()?),
        // In the compared form, dates are texts; TOML writes them without quotation marks.
        Json::String(text) if is_date(text) => KeyValue::Date(text.clone()),
        Json::String(text) => KeyValue::Text(text.clone()),
        Json::Array(items) => KeyValue::List(items.iter().map(value_of).collect::<Option<_>>()?),
        Json::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| Some((key.clone(), value_of(value)?)));
            KeyValue::Table(entries.collect::<Option<_>>()?)
        }
        Json::Null => return None,
    })
}

/// Returns whether a text is a date, with or without a time. A text that only begins like one is written as a text.
fn is_date(text: &str) -> bool {
    text.parse::<Datetime>()
        .is_ok_and(|parsed| parsed.date.is_some())
}
