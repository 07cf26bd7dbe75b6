//! Completes front matter with the project's default values.

use std::collections::VecDeque;

use serde_json::{Map, Value as Json};

use crate::{
    content_files::{
        layout::{Layout, default_values::Defaults},
        pattern::matcher,
    },
    content_text::{
        Span,
        document::{Table, json_of},
    },
};

impl Layout {
    /// Compiles the patterns of the project's default values. Values with an invalid pattern apply to no document.
    pub(super) fn compile_defaults(&mut self) {
        let of_all = |pattern: &str| match pattern {
            "" => matcher("**").ok(),
            pattern => matcher(pattern).ok(),
        };
        let defaults = self.settings.defaults.iter().filter_map(|defaults| {
            // Galley serves the site that Hugo builds for production.
            if !of_all(&defaults.environment)?.is_match("production") {
                return None;
            }
            let paths = defaults.patterns.iter();
            let paths = paths.map(|pattern| matcher(&self.generator.comparable(pattern)).ok());
            Some(Defaults {
                folder: defaults.folder.clone(),
                paths: paths.collect::<Option<_>>()?,
                kind: of_all(&defaults.kind)?,
                language: of_all(&defaults.language.to_lowercase())?,
                language_of_file: defaults
                    .file
                    .as_ref()
                    .map(|file| self.language_of_file(file)),
                specificity: defaults.specificity,
                values: defaults.values.clone(),
                of_path: match &defaults.of_path {
                    Some(pattern) => Some(Defaults::path_pattern(pattern)?),
                    None => None,
                },
            })
        });
        self.defaults = defaults.collect();
    }

    /// Completes `table`, the front matter of the document at `path`, with the project's default values, whose position is
    /// `opening`. Also removes the keys that the generator ignores.
    pub(crate) fn complete(&self, table: &mut Table, path: &str, opening: Span) {
        let role = || self.reason(path).role;
        let ignored = self.generator.ignored_keys(&role);
        if !ignored.is_empty() {
            let is_ignored = |key: &str| ignored.iter().any(|name| key.eq_ignore_ascii_case(name));
            table.entries.retain(|(key, _)| !is_ignored(&key.value));
        }
        if self.defaults.is_empty() {
            return;
        }
        let Some(located) = self.located(path) else {
            return;
        };
        let folders: Vec<&str> = located.plain_below_root.split('/').collect();
        let (file, folders) = folders.split_last().unwrap_or((&"", &[]));
        let kind = self.generator.kind(file, folders);
        let language = self.language_or_own(located.language.as_deref());
        let comparable = self.generator.comparable(&located.in_project);
        let fitting = self.defaults.iter().filter(|defaults| {
            let is_below = located.in_project.strip_prefix(&defaults.folder);
            is_below.is_some_and(|rest| defaults.folder.is_empty() || rest.starts_with('/'))
                && (defaults.paths.is_empty()
                    || defaults.paths.iter().any(|path| path.is_match(&comparable)))
                && defaults.kind.is_match(kind)
                && defaults.language.is_match(&language)
                && defaults
                    .language_of_file
                    .as_ref()
                    .is_none_or(|of_file| *of_file == language)
        });
        let mut in_order = VecDeque::new();
        let mut highest = (0, false);
        for defaults in fitting {
            // As in Jekyll: values that are at least as specific as all before them override
            // those, others only complete them.
            if defaults.specificity >= highest {
                highest = defaults.specificity;
                in_order.push_front(defaults);
            } else {
                in_order.push_back(defaults);
            }
        }
        for defaults in in_order {
            let values = defaults.values_for(&located.plain_below_root);
            self.generator.complete(table, &values, opening);
        }
    }

    /// Returns the project's default values for the document at `path`.
    pub(crate) fn defaults_of(&self, path: &str) -> Map<String, Json> {
        let mut table = Table::default();
        self.complete(&mut table, path, Span::default());
        json_of(&table)
    }

    /// Returns the language of a file, whose path is relative to the project.
    fn language_of_file(&self, in_project: &str) -> String {
        let path = self.in_content(in_project);
        let located = path.and_then(|path| self.located(&path));
        let language = located.and_then(|located| located.language);
        self.language_or_own(language.as_deref())
    }

    /// Returns `language`, or that of the site.
    fn language_or_own(&self, language: Option<&str>) -> String {
        let own = self.settings.language.as_deref();
        language.or(own).unwrap_or_default().to_ascii_lowercase()
    }
}
