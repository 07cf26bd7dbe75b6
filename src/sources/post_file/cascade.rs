//! Values that a section of Hugo passes on to the documents below it (`cascade`), which do not get them here.

use std::collections::BTreeSet;

use crate::{
    content_text::document::{Kind, Table},
    sources::{
        diagnostic::Diagnostic,
        keys::{KeySet, Reader, same_name},
    },
};

/// Returns a warning that names the keys of `set` that `table` passes on. Others are for themes.
pub fn warning(table: &Table, set: &KeySet, reader: &Reader<'_>) -> Option<Diagnostic> {
    let mut entries = table.entries.iter();
    let (key, value) = entries.find(|(key, _)| same_name(&key.value, "cascade"))?;
    let tables = match &value.value {
        Kind::List(tables) => tables.as_slice(),
        _ => std::slice::from_ref(value),
    };
    let mut names = BTreeSet::new();
    for table in tables {
        if let Kind::Table(table) = &table.value {
            let known = table.entries.iter().map(|(key, _)| key.value.as_str());
            names.extend(known.filter(|name| set.knows(name)));
        }
    }
    if names.is_empty() {
        return None;
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "`cascade` passes on {}, but the documents of the section do not get it",
        names.join(", ")
    );
    let advice = "write it in each of them";
    Some(reader.source.warning(key.span, message, advice))
}
