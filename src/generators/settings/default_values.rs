//! Values that a project gives to documents which do not have them: `defaults` of Jekyll, `cascade` of Hugo, data files of
//! Eleventy's folders.
//!
//! Values that other settings read already, such as `permalink`, are not among them.

use serde_json::{Map, Value as Json};

use crate::content_text::Diagnostic;

/// Maximum length of the files with values, in bytes together. The others are not used.
pub const FILES_BYTES_MAX: usize = 4 << 20;

/// Returns the warning about the first file with values beyond [`FILES_BYTES_MAX`].
pub fn beyond_limit(file: &str) -> Diagnostic {
    Diagnostic::about_file(
        file,
        format!(
            "the default values of this file and of those after it are ignored: such files may have {} MiB in total",
            FILES_BYTES_MAX >> 20
        ),
        "set defaults for fewer documents in separate files, or set the values in the documents",
    )
    .into_warning()
}

/// Values for some documents of a project. Of several for a document the later take precedence, unless those in force are more
/// specific.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultValues {
    /// The folder of the documents, relative to the project; empty for all.
    pub folder: String,
    /// Patterns of their paths, relative to the project; empty for all.
    pub patterns: Vec<String>,
    /// A pattern of their kind: a collection of Jekyll, `page`, `section` or `home` of Hugo; empty for all.
    pub kind: String,
    /// A pattern of their language; empty for all.
    pub language: String,
    /// A pattern of build environments of Hugo; empty for all.
    pub environment: String,
    /// The file that has the values, relative to the project, if they are for documents in its language only.
    pub file: Option<String>,
    /// How specific they are, in Jekyll: the length of the path, and whether they are of one kind only.
    pub specificity: (usize, bool),
    /// The values by their keys.
    pub values: Map<String, Json>,
}

/// Returns `values` without those that other settings read.
pub fn without_settings(mut values: Map<String, Json>) -> Map<String, Json> {
    const SETTINGS: [&str; 4] = ["permalink", "cascade", "target", "_target"];
    values.retain(|key, _| !SETTINGS.iter().any(|name| key.eq_ignore_ascii_case(name)));
    values
}
