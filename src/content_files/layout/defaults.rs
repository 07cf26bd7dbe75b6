//! Completes front matter by the values that the project gives to its documents.

use std::collections::VecDeque;

use serde_json::{Map, Value as Json};

use crate::{
    content_files::{
        layout::{GlobMatcher, Layout},
        pattern::matcher,
    },
    content_text::{
        Span, Spanned,
        document::{Kind, Table, json_of},
    },
    generators::permalink::jekyll_kind,
};

/// Values for some documents, with compiled patterns.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    folder: String,
    paths: Vec<GlobMatcher>,
    kind: GlobMatcher,
    language: GlobMatcher,
    /// The language of the file that has the values, if that counts.
    language_of_file: Option<String>,
    specificity: (usize, bool),
    values: Map<String, Json>,
}

impl Layout {
    /// Compiles the patterns of the project's default values. Values with an invalid pattern are for no document.
    pub(super) fn compile_defaults(&mut self) {
        let of_all = |pattern: &str| match pattern {
            "" => matcher("**").ok(),
            pattern => matcher(pattern).ok(),
        };
        let defaults = self.settings.defaults.iter().filter_map(|defaults| {
            // Galley serves what Hugo builds for the public.
            if !of_all(&defaults.environment)?.is_match("production") {
                return None;
            }
            let paths = defaults.patterns.iter();
            let paths = paths.map(|pattern| matcher(&self.comparable(pattern)).ok());
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
            })
        });
        self.defaults = defaults.collect();
    }

    /// Adds to `table`, the front matter of the document at `path`, the values that it lacks and that the project gives it.
    /// Their position is `opening`.
    pub(crate) fn complete(&self, table: &mut Table, path: &str, opening: Span) {
        if self.defaults.is_empty() {
            return;
        }
        let Some(located) = self.located(path) else {
            return;
        };
        let folders: Vec<&str> = located.plain_below_root.split('/').collect();
        let (file, folders) = folders.split_last().unwrap_or((&"", &[]));
        let kind = match (self.profile.name, folders) {
            ("jekyll", folders) => jekyll_kind(folders),
            _ if !file.starts_with("_index.") => "page",
            (_, []) => "home",
            _ => "section",
        };
        let language = self.language_or_own(located.language.as_deref());
        let comparable = self.comparable(&located.in_project);
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
        let mut in_force = (0, false);
        for defaults in fitting {
            if defaults.specificity >= in_force {
                in_force = defaults.specificity;
                in_order.push_front(defaults);
            } else {
                in_order.push_back(defaults);
            }
        }
        for defaults in in_order {
            if self.profile.name == "eleventy" {
                join_tags(table, &defaults.values, opening);
            }
            table.complete(&defaults.values, opening);
        }
    }

    /// Returns the values that the project gives the document at `path`.
    pub(crate) fn defaults_of(&self, path: &str) -> Map<String, Json> {
        let mut table = Table::default();
        self.complete(&mut table, path, Span::default());
        json_of(&table)
    }

    /// Returns the form of a path or a pattern in which the generator compares it: URLs of Hugo are in lower case.
    fn comparable(&self, path: &str) -> String {
        match self.profile.name {
            "hugo" => path.to_lowercase(),
            _ => path.to_owned(),
        }
    }

    /// Returns the language of a file, whose path is relative to the project.
    fn language_of_file(&self, in_project: &str) -> String {
        let path = self.in_content(in_project);
        let located = path.and_then(|path| self.located(&path));
        let language = located.and_then(|located| located.language);
        self.language_or_own(language.as_deref())
    }

    /// Returns `language`, or the site's own.
    fn language_or_own(&self, language: Option<&str>) -> String {
        let own = self.settings.language.as_deref();
        language.or(own).unwrap_or_default().to_ascii_lowercase()
    }
}

/// Adds the tags in `values` to those of a document, as Eleventy does. They come last, so that its primary tag stays.
fn join_tags(table: &mut Table, values: &Map<String, Json>, opening: Span) {
    let Some(more) = values.get("tags") else {
        return;
    };
    let mut entries = table.entries.iter_mut();
    let Some((_, tags)) = entries.find(|(key, _)| key.value == "tags") else {
        return;
    };
    let mut joined = match std::mem::replace(&mut tags.value, Kind::Nothing) {
        Kind::List(tags) => tags,
        Kind::Nothing => Vec::new(),
        tag => vec![Spanned::new(tag, tags.span)],
    };
    let more = match more {
        Json::Array(more) => more.as_slice(),
        more => std::slice::from_ref(more),
    };
    for tag in more.iter().filter_map(Json::as_str) {
        let is_known = joined
            .iter()
            .any(|known| known.value == Kind::Text(tag.to_owned()));
        if !is_known {
            joined.push(Spanned::new(Kind::Text(tag.to_owned()), opening));
        }
    }
    tags.value = Kind::List(joined);
}
