//! The default values that a project defines for some of its documents.

use std::borrow::Cow;

use globset::GlobMatcher;

use serde_json::{Map, Value as Json};

use crate::generators::settings::{
    Regex,
    default_values::{PathPart, PathPattern},
    literals::written_regex,
};

/// Default values for some documents, with compiled patterns.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    pub(super) folder: String,
    pub(super) paths: Vec<GlobMatcher>,
    pub(super) kind: GlobMatcher,
    pub(super) language: GlobMatcher,
    /// The language of the file that contains the values, if they apply to that language only.
    pub(super) language_of_file: Option<String>,
    pub(super) specificity: (usize, bool),
    pub(super) values: Map<String, Json>,
    pub(super) of_path: Option<(Regex, PathPart)>,
}

impl Defaults {
    /// Compiles a pattern of paths; `None` if it is invalid.
    pub(super) fn path_pattern(pattern: &PathPattern) -> Option<(Regex, PathPart)> {
        let regex = written_regex(&format!("^(?:{})", pattern.pattern))?;
        Some((regex, pattern.part))
    }

    /// Returns the values for the document at `path`, relative to the folder of documents.
    pub(super) fn values_for(&self, path: &str) -> Cow<'_, Map<String, Json>> {
        let Some((regex, part)) = &self.of_path else {
            return Cow::Borrowed(&self.values);
        };
        let mut values = self.values.clone();
        if let Some(captures) = regex.captures(part.of(path)) {
            let names = regex.capture_names().flatten();
            let found = names.filter_map(|name| Some((name, captures.name(name)?.as_str())));
            let found = found.filter(|(_, value)| !value.is_empty());
            values.extend(found.map(|(name, value)| (name.to_lowercase(), value.into())));
        }
        Cow::Owned(values)
    }
}
