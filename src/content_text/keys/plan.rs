//! Finds the entries that a change concerns, by the names of its key.

use serde_json::{Map, Value as Json};

use super::value::{KeyChange, KeyValue};
use crate::content_text::key_names::same_name;

/// A change of one value in a tree of keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Replaces the value at this path.
    Set(Vec<String>, KeyValue),
    /// Adds an entry to the table at this path; the root if it is empty.
    Insert(Vec<String>, String, KeyValue),
    /// Removes the entry at this path.
    Remove(Vec<String>),
}

/// Returns the operations that apply `change` to these keys; none if the value is the same already.
pub fn operations(keys: &Json, change: &KeyChange, free_tables: &[&str]) -> Vec<Operation> {
    let mut search = EntrySearch {
        names: &change.names,
        free_tables,
        found: Vec::new(),
    };
    search.table(keys, &[], "");
    let mut found = search.found;
    // The entry with the first name is used; an empty entry only if there is no other.
    found.sort_by_key(|entry| (entry.is_empty, entry.rank));
    let Some(value) = &change.value else {
        let paths = found.into_iter().map(|entry| entry.path);
        return paths.map(Operation::Remove).collect();
    };
    let mut operations = Vec::new();
    match found.into_iter().next() {
        Some(entry) => set(at(keys, &entry.path), entry.path, value, &mut operations),
        None => insert(keys, change.name(), value, &mut operations),
    }
    operations
}

/// An entry with one of the names.
struct FoundEntry {
    path: Vec<String>,
    rank: usize,
    is_empty: bool,
}

struct EntrySearch<'a> {
    names: &'a [String],
    free_tables: &'a [&'a str],
    found: Vec<FoundEntry>,
}

impl EntrySearch<'_> {
    /// Searches a table. `prefix` is the table's part in the names of its keys, with a trailing dot.
    fn table(&mut self, table: &Json, path: &[String], prefix: &str) {
        for (key, value) in table.as_object().into_iter().flatten() {
            let written = format!("{prefix}{key}");
            let path = [path, std::slice::from_ref(key)].concat();
            let rank = self.names.iter().position(|name| same_name(name, &written));
            if let Some(rank) = rank {
                let is_empty =
                    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
                self.found.push(FoundEntry {
                    path: path.clone(),
                    rank,
                    is_empty,
                });
            } else if self.is_prefix(&written) {
                self.table(value, &path, &format!("{written}."));
            } else if self
                .free_tables
                .iter()
                .any(|name| same_name(name, &written))
            {
                self.table(value, &path, "");
            }
        }
    }

    fn is_prefix(&self, written: &str) -> bool {
        self.names.iter().any(|name| {
            let mut offsets = name.match_indices('.').map(|(offset, _)| offset);
            offsets.any(|offset| same_name(&name[..offset], written))
        })
    }
}

fn at<'k>(keys: &'k Json, path: &[String]) -> &'k Json {
    path.iter().fold(keys, |value, key| &value[key])
}

/// Adds the operations that turn `old` into `value`; for a table, only those for keys that differ.
fn set(old: &Json, path: Vec<String>, value: &KeyValue, operations: &mut Vec<Operation>) {
    if *old == value.json() {
        return;
    }
    let (Json::Object(entries), KeyValue::Table(new)) = (old, value) else {
        let value = match (old, value) {
            // A single text does not become a list: `author: jane`.
            (Json::String(_), KeyValue::List(items))
                if let [KeyValue::Text(item)] = items.as_slice()
                    && !item.contains([',', ' ', '\n']) =>
            {
                KeyValue::Text(item.clone())
            }
            _ => value.clone(),
        };
        // A list with one item may have become the same text.
        if *old != value.json() {
            operations.push(Operation::Set(path, value));
        }
        return;
    };
    for key in entries.keys() {
        if !new.iter().any(|(name, _)| same_name(name, key)) {
            operations.push(Operation::Remove(
                [&*path, std::slice::from_ref(key)].concat(),
            ));
        }
    }
    for (name, value) in new {
        let known = entries.iter().find(|(key, _)| same_name(key, name));
        match known {
            Some((key, old)) => {
                let path = [&*path, std::slice::from_ref(key)].concat();
                set(old, path, value, operations);
            }
            None => operations.push(Operation::Insert(path.clone(), name.clone(), value.clone())),
        }
    }
}

/// Adds a new key. `cover.image` is added to the table `cover` if there is one.
fn insert(keys: &Json, name: &str, value: &KeyValue, operations: &mut Vec<Operation>) {
    let mut path = Vec::new();
    let mut table = keys;
    let mut rest = name;
    while let Some((first, behind)) = rest.split_once('.') {
        let entries = table.as_object().into_iter().flatten();
        let Some((key, inner)) = entries
            .filter(|(_, value)| value.is_object())
            .find(|(key, _)| same_name(key, first))
        else {
            break;
        };
        path.push(key.clone());
        (table, rest) = (inner, behind);
    }
    let mut names = rest.rsplit('.');
    let last = names.next().unwrap_or_default().to_owned();
    let (name, value) = names.fold((last, value.clone()), |(name, value), outer| {
        (outer.to_owned(), KeyValue::Table(vec![(name, value)]))
    });
    operations.push(Operation::Insert(path, name, value));
}

/// Applies an operation to the keys as they are compared.
pub fn apply(keys: &mut Json, operation: &Operation) {
    let (path, key, value) = match operation {
        Operation::Set(path, value) => split(path, Some(value.json())),
        Operation::Insert(path, key, value) => (&**path, key, Some(value.json())),
        Operation::Remove(path) => split(path, None),
    };
    let table = path.iter().try_fold(keys, |value, key| value.get_mut(key));
    let Some(Json::Object(table)) = table else {
        return;
    };
    match value {
        Some(value) => drop(Map::insert(table, key.clone(), value)),
        None => drop(table.shift_remove(key)),
    }
}

fn split(path: &[String], value: Option<Json>) -> (&[String], &String, Option<Json>) {
    let (key, path) = path.split_last().expect("a path has a key");
    (path, key, value)
}
