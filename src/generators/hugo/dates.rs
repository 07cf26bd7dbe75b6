//! The dates of documents by `[frontmatter]` of Hugo: a list of keys for each date, of which the first one in a document
//! applies.

use std::path::Path;

use crate::{
    content_text::{
        Diagnostic,
        document::{Kind, Table},
    },
    generators::{
        hugo::configuration::ConfigurationFile,
        settings::{
            date_rules::{DateRule, DateSource},
            literals::{inner, text, texts, value},
            reference::unsupported_key,
        },
    },
};

/// The key of the table with the lists of dates.
const TABLE: &str = "frontmatter";

/// The dates, with the default lists of their keys and with other keys that would be read as the same date.
const DATES: [(&str, &[&str], &[&str]); 4] = [
    (
        "date",
        &[
            "date",
            "publishdate",
            "pubdate",
            "published",
            "lastmod",
            "modified",
        ],
        &["pubDatetime", "publishedDate", "datePublished"],
    ),
    (
        "publishDate",
        // Keys that are also a `date` are read there.
        &["publishdate", "pubdate", "published"],
        &["pubDate", "published"],
    ),
    (
        "lastmod",
        &[
            "lastmod",
            "modified",
            "date",
            "publishdate",
            "pubdate",
            "published",
        ],
        &[
            "last_modified_at",
            "last_modified",
            "updated",
            "updatedDate",
            "modDatetime",
            "modified",
            "lastUpdated",
        ],
    ),
    ("expiryDate", &["expirydate", "unpublishdate"], &[]),
];

/// Sources of dates that are not supported.
const UNSUPPORTED: [&str; 2] = [":git", ":filemodtime"];

/// Returns the date rules in the configuration; empty if it has the default ones.
pub(super) fn rules(configuration: &Table) -> Vec<DateRule> {
    let Some(own) = inner(configuration, TABLE) else {
        return Vec::new();
    };
    let lists = DATES.iter().filter_map(|(key, usual, synonyms)| {
        let mut list = texts(own, key);
        list.extend(text(own, key));
        if list.is_empty() {
            return None;
        }
        let names = list.iter().map(String::as_str);
        let names = names.flat_map(|name| match name {
            ":default" => usual.to_vec(),
            name => vec![name],
        });
        // The date of publication defaults to the date, so these sources add nothing to it.
        let is_of_other =
            |name: &str| *key == "publishDate" && matches!(name, "date" | ":filename");
        let names = names.filter(|name| !is_of_other(name));
        let sources = names.filter_map(|name| match name.to_lowercase().as_str() {
            ":filename" => Some(DateSource::Name),
            name if name.starts_with(':') => None,
            name => Some(DateSource::Key(name.to_owned())),
        });
        Some(DateRule {
            key,
            synonyms,
            sources: sources.collect(),
        })
    });
    lists.collect()
}

/// Returns a warning for each list in a file that has unsupported sources.
pub(super) fn problems(root: &Path, file: &ConfigurationFile) -> Vec<Diagnostic> {
    let keys: Vec<&str> = file.keys.iter().map(String::as_str).collect();
    let own = match keys[..] {
        [] => inner(&file.table, TABLE),
        [TABLE] => Some(&file.table),
        _ => None,
    };
    let dates = DATES.iter().filter_map(|(key, ..)| {
        let value = value(own?, key)?;
        let Kind::List(list) = &value.value else {
            return None;
        };
        let entry = list.iter().find(|entry| match &entry.value {
            Kind::Text(name) => UNSUPPORTED.contains(&name.to_lowercase().as_str()),
            _ => false,
        })?;
        let Kind::Text(name) = &entry.value else {
            return None;
        };
        let key = format!("{name}` in `{TABLE}.{key}");
        let instead = "the other entries of the list count";
        unsupported_key(root, &file.stem, &key, entry.span, instead)
    });
    dates.collect()
}
