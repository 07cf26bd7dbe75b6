//! Edits of JSON.

use super::{
    flow,
    plan::Operation,
    scalar::double_quoted,
    tree::{Entry, Layout, Node, NodeKind, replaced},
    value::KeyValue,
};
use crate::content_text::document::{self, Kind, Language, Value};

/// Returns `text`, an object, with `operation` applied.
pub fn edit(text: &str, operation: &Operation) -> Result<String, String> {
    let table = document::parse(Language::Json, text, 0).map_err(|error| error.message)?;
    let start = text.len() - text.trim_start().len();
    let root = Node {
        span: start..text.trim_end().len(),
        kind: of_kind(&Kind::Table(table)),
    };
    let missing = || "the key is not in the file".to_owned();
    match operation {
        Operation::Set(path, value) => {
            let (table, index) = root.find(path).ok_or_else(missing)?;
            let (_, entries) = table.table().ok_or_else(missing)?;
            let old = &entries[index].value;
            Ok(replaced(
                text,
                old.span.clone(),
                &written_like(text, old, value),
            ))
        }
        Operation::Insert(path, key, value) => {
            let table = root.table_at(path).ok_or_else(missing)?;
            let (_, entries) = table.table().ok_or_else(missing)?;
            let entry = |colon: &str| format!("{}{colon}{}", double_quoted(key), written(value));
            if entries.is_empty() && path.is_empty() {
                let object = format!("{{\n  {}\n}}", entry(": "));
                return Ok(replaced(text, table.span.clone(), &object));
            }
            Ok(flow::with_entry(text, table, entries, &entry))
        }
        Operation::Remove(path) => {
            let (table, index) = root.find(path).ok_or_else(missing)?;
            let (_, entries) = table.table().ok_or_else(missing)?;
            Ok(flow::without_entry(text, table, entries, index))
        }
    }
}

fn of_value(value: &Value) -> Node {
    Node {
        span: value.span.start..value.span.end,
        kind: of_kind(&value.value),
    }
}

fn of_kind(kind: &Kind) -> NodeKind {
    match kind {
        Kind::List(items) => NodeKind::List(Layout::Flow, items.iter().map(of_value).collect()),
        Kind::Table(table) => {
            let entries = table.entries.iter().map(|(key, value)| Entry {
                key: key.value.clone(),
                key_span: key.span.start..key.span.end,
                value: of_value(value),
            });
            NodeKind::Table(Layout::Flow, entries.collect())
        }
        Kind::Text(text) => NodeKind::Scalar('"', text.clone()),
        Kind::Integer(number) => NodeKind::Scalar('0', number.to_string()),
        _ => NodeKind::Scalar('n', String::new()),
    }
}

fn written_like(text: &str, old: &Node, value: &KeyValue) -> String {
    match (&old.kind, value) {
        (NodeKind::List(_, items), KeyValue::List(new)) => {
            flow::list(text, old, items, new, &written)
        }
        _ => written(value),
    }
}

fn written(value: &KeyValue) -> String {
    match value {
        KeyValue::Text(text) | KeyValue::Date(text) => double_quoted(text),
        KeyValue::List(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("[{}]", items.join(", "))
        }
        KeyValue::Table(entries) => {
            let entries = entries.iter();
            let entries = entries
                .map(|(key, value)| format!("{}: {}", double_quoted(key), written(value)))
                .collect::<Vec<_>>();
            format!("{{ {} }}", entries.join(", "))
        }
        KeyValue::Boolean(_) | KeyValue::Integer(_) => value.json().to_string(),
    }
}
