//! Reads `defaults` in the settings of Jekyll.

use crate::{
    content_text::document::{self, Kind, Table},
    generators::settings::{
        default_values::{DefaultValues, without_settings},
        folders::below,
        literals::{clean, inner, text, value},
    },
};

/// Returns the `defaults` of the settings `table` of a site whose documents are in the folder `source`.
pub(super) fn defaults(table: &Table, source: &str) -> Vec<DefaultValues> {
    let Some(Kind::List(defaults)) = value(table, "defaults").map(|value| &value.value) else {
        return Vec::new();
    };
    let collections = text(table, "collections_dir").map(|folder| clean(&folder));
    // Jekyll compares paths without `collections_dir`.
    let collections = below(source, collections.as_deref().unwrap_or_default());
    let tops = [source, collections.trim_end_matches('/')];
    let rules = defaults.iter().filter_map(|default| {
        let Kind::Table(default) = &default.value else {
            return None;
        };
        let scope = inner(default, "scope");
        let of_scope = |key| scope.and_then(|scope| text(scope, key)).unwrap_or_default();
        let (path, kind) = (clean(&of_scope("path")), of_scope("type"));
        let pattern = with_stars_only(&path);
        // Jekyll compares the start of paths, which may be within a folder name.
        let patterns = tops
            .iter()
            .map(|top| below(top, &pattern))
            .flat_map(|path| ["*", "*/**"].map(|end| format!("{path}{end}")));
        Some(DefaultValues {
            patterns: if path.is_empty() {
                Vec::new()
            } else {
                patterns.collect()
            },
            specificity: (path.len(), !kind.is_empty()),
            kind,
            values: without_settings(document::json_of(inner(default, "values")?)),
            ..DefaultValues::default()
        })
    });
    rules.collect()
}

/// Returns a pattern for `path` in which `*` is the only wildcard.
fn with_stars_only(path: &str) -> String {
    let mut pattern = String::new();
    for character in path.chars() {
        match character {
            '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', character, ']']),
            character => pattern.push(character),
        }
    }
    pattern
}
