//! Reads the settings of Jekyll projects.

use std::path::Path;

use crate::{
    content_text::document::{self, Kind, Table},
    generators::{
        permalink::{PatternRule, UrlRules},
        profile::{DocumentKind, Role},
        settings::{
            ProjectSettings,
            literals::{clean, data_in, inner, is_set, text, texts, value},
            reference::unsupported_in_data,
        },
    },
};

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let table = data_in(root, "_config").unwrap_or_default();
    let source = text(&table, "source").map(|source| clean(&source));
    let mut settings = ProjectSettings {
        defaults: super::default_values::defaults(&table, source.as_deref().unwrap_or_default()),
        roots: source.into_iter().collect(),
        origin: text(&table, "url").unwrap_or_default(),
        site: document::json_of(&table),
        base_path: text(&table, "baseurl")
            .unwrap_or_default()
            .trim_end_matches('/')
            .to_owned(),
        languages: texts(&table, "languages"),
        time_zone: text(&table, "timezone"),
        dialect: Some(super::markdown::dialect(&table)),
        problems: unsupported_in_data(root, "_config", &[], super::reference::ROWS, &table),
        language: text(&table, "default_lang"),
        urls: UrlRules {
            patterns: jekyll_patterns(&table),
            style: text(&table, "permalink").unwrap_or_default(),
            ..UrlRules::default()
        },
        ..ProjectSettings::default()
    };
    let below = |path: &str| match settings.roots.first() {
        Some(source) if !source.is_empty() => format!("{source}/{path}"),
        _ => path.to_owned(),
    };
    let folder = text(&table, "collections_dir")
        .map_or_else(String::new, |folder| format!("{}/", clean(&folder)));
    let mut rules = Vec::new();
    for excluded in texts(&table, "exclude") {
        let excluded = clean(&excluded);
        rules.push((below(&excluded), Role::Other));
        rules.push((below(&format!("{excluded}/**")), Role::Other));
    }
    // Jekyll ignores these folders unless they are listed here.
    for included in texts(&table, "include") {
        let included = clean(&included);
        if included.starts_with('_') {
            let pattern = below(&format!("{included}/**"));
            rules.push((pattern, Role::Document(DocumentKind::Page)));
        }
    }
    if let Some(collections) = inner(&table, "collections") {
        for (name, collection) in &collections.entries {
            // Posts are published without `output` and have rules of the profile.
            if name.value != "posts" && is_set(collection, "output") {
                let pattern = below(&format!("{folder}_{}/**", name.value));
                rules.push((pattern, Role::Document(DocumentKind::Page)));
            }
        }
    }
    settings.rules = rules;
    settings
}

/// Returns the URL patterns of folders, from `defaults`, and of collections. More specific folders come first.
fn jekyll_patterns(table: &Table) -> Vec<PatternRule> {
    let mut patterns = Vec::new();
    if let Some(Kind::List(defaults)) = value(table, "defaults").map(|value| &value.value) {
        for default in defaults.iter().rev() {
            let Kind::Table(default) = &default.value else {
                continue;
            };
            let scope = inner(default, "scope");
            let of_scope = |key| scope.and_then(|scope| text(scope, key));
            let values = inner(default, "values");
            let Some(pattern) = values.and_then(|values| text(values, "permalink")) else {
                continue;
            };
            let folder = of_scope("path").unwrap_or_default();
            patterns.push(PatternRule {
                folder: clean(folder.split('*').next().unwrap_or_default()),
                kind: of_scope("type").unwrap_or_default(),
                pattern,
            });
        }
    }
    // The sort is stable, so of defaults for the same folder the last one comes
    // first, as it takes precedence in Jekyll.
    patterns.sort_by_key(|rule| std::cmp::Reverse(rule.folder.len()));
    // In Jekyll, defaults take precedence over the pattern of a collection.
    for (name, collection) in inner(table, "collections")
        .into_iter()
        .flat_map(|table| &table.entries)
    {
        if let Kind::Table(collection) = &collection.value
            && let Some(pattern) = text(collection, "permalink")
        {
            patterns.push(PatternRule {
                kind: name.value.clone(),
                pattern,
                ..PatternRule::default()
            });
        }
    }
    patterns
}
