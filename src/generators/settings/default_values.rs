//! Default values that a project sets for documents: `defaults` of Jekyll, `cascade` of Hugo, data files of Eleventy's
//! folders.
//!
//! Values that are read as other settings, such as `permalink`, are not included.

use serde_json::{Map, Value as Json};

use crate::content_text::Diagnostic;

/// Maximum total length of the files with default values, in bytes. Further files are ignored.
pub const FILES_BYTES_MAX: usize = 4 << 20;

/// Returns the warning about `file`, the first one beyond [`FILES_BYTES_MAX`].
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

/// Default values for some documents of a project. If several apply to a document, later ones take precedence, unless an
/// earlier one is more specific.
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
    /// The file that contains the values, relative to the project, if they only apply to documents in its language.
    pub file: Option<String>,
    /// The specificity of the values, in Jekyll: the length of the path, and whether they apply to one kind only.
    pub specificity: (usize, bool),
    /// The values by their keys.
    pub values: Map<String, Json>,
    /// Further values, which are found in the paths of the documents.
    pub of_path: Option<PathPattern>,
}

/// A pattern whose named groups find values in paths: `(?P<date>[0-9-]+)_(?P<slug>.*)` of Pelican's `FILENAME_METADATA`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    /// The regular expression, which matches at the start of the part.
    pub pattern: String,
    /// The part of the path.
    pub part: PathPart,
}

/// A part of the path of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// The path below the folder of documents.
    Whole,
    /// The name of the file, without its extension.
    Stem,
    /// The name of the folder that contains the file.
    Folder,
}

impl PathPart {
    /// Returns this part of `path`, which is relative to the folder of documents.
    pub fn of(self, path: &str) -> &str {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        match self {
            Self::Whole => path,
            Self::Stem => file.rsplit_once('.').map_or(file, |(stem, _)| stem),
            Self::Folder => folders.rsplit('/').next().unwrap_or(folders),
        }
    }
}

/// Returns `values` without the keys that are read as other settings.
pub fn without_settings(mut values: Map<String, Json>) -> Map<String, Json> {
    const SETTINGS: [&str; 4] = ["permalink", "cascade", "target", "_target"];
    values.retain(|key, _| !SETTINGS.iter().any(|name| key.eq_ignore_ascii_case(name)));
    values
}
