//! The keys of a content file, written as TOML.

use jiff::Timestamp;
use serde::{
    Serialize, Serializer,
    ser::{Error, SerializeMap},
};
use serde_json::Value as Json;
use toml::Value;

use crate::{
    catalog::fields::{StoredText, TextContent},
    clock::written,
    content_text::{
        KeyValue,
        url_form::{UrlForm, UrlWriter},
    },
};

/// Keys with their values, in the order in which they are written. Empty values are omitted.
pub struct WrittenKeys {
    form: UrlForm,
    entries: Vec<(&'static str, KeyEntry)>,
}

enum KeyEntry {
    Value(Value),
    Time(Timestamp),
}

impl WrittenKeys {
    /// Returns an empty list of keys, whose URLs will be written in this form.
    pub fn new(form: UrlForm) -> Self {
        Self {
            form,
            entries: Vec::new(),
        }
    }

    /// Adds a text.
    pub fn text(&mut self, key: &'static str, text: &str) {
        self.add(key, Value::String(text.to_owned()));
    }

    /// Adds a text, unless it is empty: content files treat an empty text as absent.
    pub fn optional(&mut self, key: &'static str, text: &Option<Box<str>>) {
        if let Some(text) = filled(text) {
            self.text(key, text);
        }
    }

    /// Adds a URL in stored form, if present.
    pub fn url(&mut self, key: &'static str, url: &Option<Box<str>>) {
        if let Some(url) = filled(url) {
            let form = self.form;
            self.text(key, form.url(url));
        }
    }

    /// Adds HTML with URLs in stored form, if present.
    pub fn markup(&mut self, key: &'static str, markup: &Option<Box<str>>) {
        if let Some(markup) = filled(markup) {
            self.text(key, &self.form.markup(markup));
        }
    }

    /// Adds a text of `record`, unless it is empty.
    pub fn stored<R>(&mut self, field: &StoredText<R>, record: &R) {
        let text = field.text(record).map(Into::into);
        match field.content {
            TextContent::Plain(_) | TextContent::Account(_) | TextContent::Scalar(_) => {
                self.optional(field.name, &text);
            }
            TextContent::Markup(_) => self.markup(field.name, &text),
            TextContent::Image | TextContent::Page | TextContent::Link | TextContent::Website => {
                self.url(field.name, &text);
            }
        }
    }

    /// Adds a timestamp.
    pub fn time(&mut self, key: &'static str, time: Timestamp) {
        self.entries.push((key, KeyEntry::Time(time)));
    }

    /// Adds a boolean.
    pub fn switch(&mut self, key: &'static str, is_on: bool) {
        self.add(key, Value::Boolean(is_on));
    }

    /// Adds a number, at most TOML's largest.
    pub fn number(&mut self, key: &'static str, number: u64) {
        self.add(
            key,
            Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)),
        );
    }

    /// Adds a list of texts, unless it is empty.
    pub fn texts<'t>(&mut self, key: &'static str, texts: impl Iterator<Item = &'t str>) {
        let texts: Vec<Value> = texts.map(|text| Value::String(text.to_owned())).collect();
        if !texts.is_empty() {
            self.add(key, Value::Array(texts));
        }
    }

    /// Adds a value.
    pub fn add(&mut self, key: &'static str, value: Value) {
        self.entries.push((key, KeyEntry::Value(value)));
    }

    /// Returns the keys with their values.
    pub fn key_values(&self) -> Vec<(&'static str, KeyValue)> {
        let entries = self.entries.iter();
        let entries = entries.map(|(key, entry)| {
            let value = match entry {
                KeyEntry::Value(value) => key_value(value),
                KeyEntry::Time(time) => KeyValue::Date(written(*time)),
            };
            (*key, value)
        });
        entries.collect()
    }

    /// Returns the number of keys.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the form of URLs.
    pub fn form(&self) -> UrlForm {
        self.form
    }

    /// Returns the key that a line of `text` belongs to, counted from 1. `text` is the serialised
    /// form of these keys.
    pub fn at_line(&self, text: &str, line: usize) -> Option<&'static str> {
        let lines: Vec<&str> = text.lines().take(line).collect();
        let begins = |key: &str, line: &&str| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.starts_with(" = "))
        };
        let keys = self.entries.iter().map(|(key, _)| *key);
        keys.rev()
            .find(|key| lines.iter().any(|line| begins(key, line)))
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|(name, _)| *name != key);
    }

    /// Truncates the text of a key to `characters`, and returns whether the text was longer.
    pub fn cut(&mut self, key: &str, characters: usize) -> bool {
        for (name, entry) in &mut self.entries {
            if let KeyEntry::Value(Value::String(text)) = entry
                && *name == key
                && let Some((end, _)) = text.char_indices().nth(characters)
            {
                text.truncate(end);
                return true;
            }
        }
        false
    }

    /// Returns a file with these keys and nothing else.
    pub fn to_toml(&self) -> String {
        let toml = toml::to_string(self).unwrap_or_default();
        // A line of three plus signs ends front matter, even inside a multi-line text; in that case
        // all texts are written in one line.
        if toml.lines().any(|line| line.trim_end() == "+++") {
            self.entries.iter().map(line).collect()
        } else {
            toml
        }
    }

    /// Returns a file with these keys, one more key, and a body. None of the keys may be an array
    /// of tables, after which TOML permits no further key.
    pub fn with_body(&self, more: Option<(&str, &str)>, body: &str) -> String {
        let more = more.map(|(key, value)| format!("{key} = \"{value}\"\n"));
        format!(
            "+++\n{}{}+++\n{body}",
            self.to_toml(),
            more.unwrap_or_default()
        )
    }
}

fn key_value(value: &Value) -> KeyValue {
    match value {
        Value::Boolean(is_true) => KeyValue::Boolean(*is_true),
        Value::Integer(number) => KeyValue::Integer(*number),
        Value::Array(items) => KeyValue::List(items.iter().map(key_value).collect()),
        Value::Table(table) => {
            let entries = table.iter();
            let entries = entries.map(|(key, value)| (key.clone(), key_value(value)));
            KeyValue::Table(entries.collect())
        }
        Value::String(text) => KeyValue::Text(text.clone()),
        // Records have no other values.
        other => KeyValue::Text(other.to_string()),
    }
}

/// Returns a key with its value in one line.
fn line((key, entry): &(&'static str, KeyEntry)) -> String {
    match entry {
        KeyEntry::Value(value) => format!("{key} = {}\n", in_line(value)),
        KeyEntry::Time(time) => format!("{key} = {}\n", written(*time)),
    }
}

fn in_line(value: &Value) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match value {
        // A JSON string is a TOML string, except for U+007F, which TOML requires to be escaped.
        Value::String(text) => Json::from(text.as_str())
            .to_string()
            .replace('\u{7f}', "\\u007F"),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_line).collect())),
        Value::Table(table) => {
            let entries = table.iter();
            let entries = entries.map(|(key, value)| format!("{key} = {}", in_line(value)));
            format!("{{ {} }}", joined(entries.collect()))
        }
        other => other.to_string(),
    }
}

fn filled(text: &Option<Box<str>>) -> Option<&str> {
    text.as_deref().filter(|text| !text.trim().is_empty())
}

impl Serialize for WrittenKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (key, entry) in &self.entries {
            match entry {
                KeyEntry::Value(value) => map.serialize_entry(key, value)?,
                KeyEntry::Time(time) => {
                    let time: toml::value::Datetime =
                        written(*time).parse().map_err(S::Error::custom)?;
                    map.serialize_entry(key, &time)?;
                }
            }
        }
        map.end()
    }
}
