//! Values that a project gives to documents which do not have them: `defaults` of Jekyll, `cascade` of Hugo, data files of
//! Eleventy's folders.
//!
//! Values that other settings read already, such as `permalink`, are not among them.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::{
    folders::{below, folders_below},
    literals::{clean, inner, text, text_of, texts, value},
};
use crate::sources::{
    Diagnostic,
    document::{self, Kind, Table},
    front_matter::FrontMatter,
    source::Source,
};

/// Deepest folder of Hugo's sections, and their maximum number.
const SECTION_DEPTH_MAX: usize = 12;
const SECTIONS_MAX: usize = 5_000;

/// Maximum length of the files with values, in bytes together. The others are not used.
pub const FILES_BYTES_MAX: usize = 4 << 20;

/// Returns the warning about the first file with values beyond [`FILES_BYTES_MAX`].
pub fn beyond_limit(file: &str) -> Diagnostic {
    Diagnostic::about_file(
        file,
        format!(
            "the values that this file and those after it give to documents are not used: such files may have {} MiB together",
            FILES_BYTES_MAX >> 20
        ),
        "write values for fewer documents in separate files, or write them in the documents",
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
    /// A pattern of what Hugo builds for; empty for all.
    pub environment: String,
    /// The file that has the values, relative to the project, if they are for documents in its language only.
    pub file: Option<String>,
    /// How specific they are, in Jekyll: the length of the path, and whether they are of one kind only.
    pub specificity: (usize, bool),
    /// The values by their keys.
    pub values: Map<String, Json>,
}

/// Returns the `defaults` of Jekyll's settings, whose documents are in the folder `source`.
pub fn of_jekyll(table: &Table, source: &str) -> Vec<DefaultValues> {
    let Some(Kind::List(defaults)) = value(table, "defaults").map(|value| &value.value) else {
        return Vec::new();
    };
    let collections = text(table, "collections_dir").map(|folder| clean(&folder));
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
        // Jekyll compares the start of paths, not whole names of folders.
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

/// Returns the pattern of `path`, in which only `*` stands for other characters.
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

/// Returns the values that Hugo's settings `tables` pass on, and those that the sections below the folders of documents `roots`
/// do. Adds what is not used to `problems`.
pub fn of_hugo<'t>(
    root: &Path,
    roots: &[String],
    tables: impl Iterator<Item = &'t Table>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<DefaultValues> {
    let mut rules: Vec<DefaultValues> = tables.flat_map(|table| cascade(table, roots)).collect();
    let mut bytes = 0;
    let folders = roots.iter().rev().flat_map(|top| {
        let limits = (SECTION_DEPTH_MAX, SECTIONS_MAX);
        folders_below(root, top, limits, |name| name == "node_modules")
    });
    for folder in folders {
        for file in section_files(root, &folder) {
            let text = text_of(root, &file);
            let source = Source::decode(&file, text.as_bytes()).ok();
            let head = source.and_then(|source| FrontMatter::of_foreign_text(&source).ok());
            // What is wrong with the file is reported where it is read as a document.
            let passed_on = head.map(|head| cascade(&head.table, roots));
            let passed_on = passed_on.unwrap_or_default();
            if !passed_on.is_empty() {
                bytes += text.len();
            }
            if bytes > FILES_BYTES_MAX {
                problems.push(beyond_limit(&file));
                return rules;
            }
            rules.extend(passed_on.into_iter().map(|rule| DefaultValues {
                folder: folder.clone(),
                file: Some(file.clone()),
                ..rule
            }));
        }
    }
    rules
}

/// Returns the files with the values of a section: `_index.md`, `_index.fr.md`.
fn section_files(root: &Path, folder: &str) -> Vec<String> {
    let Ok(entries) = root.join(folder).read_dir() else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names = names.filter(|name| name.starts_with("_index."));
    let mut files: Vec<String> = names.map(|name| below(folder, &name)).collect();
    files.sort();
    files
}

/// Returns what `cascade` in `table` passes on: of its tables the first counts, so it comes last.
fn cascade(table: &Table, roots: &[String]) -> Vec<DefaultValues> {
    let Some(passed_on) = value(table, "cascade") else {
        return Vec::new();
    };
    let passed_on = match &passed_on.value {
        Kind::List(tables) => tables.as_slice(),
        _ => std::slice::from_ref(passed_on),
    };
    let tables = passed_on
        .iter()
        .filter_map(|passed_on| match &passed_on.value {
            Kind::Table(table) => Some(table),
            _ => None,
        });
    tables
        .rev()
        .map(|table| {
            let target = inner(table, "target").or_else(|| inner(table, "_target"));
            let of_target = |key| {
                target
                    .and_then(|target| text(target, key))
                    .unwrap_or_default()
            };
            // Alternatives are whole paths: `{/books,/books/**}`.
            let path = of_target("path").replace("{/", "{").replace(",/", ",");
            let patterns = match path.trim_start_matches('/') {
                "" => Vec::new(),
                path => roots
                    .iter()
                    .map(|root| below(root, path))
                    // A path of Hugo has no extension, and that of a document with a folder of its own is the folder.
                    .flat_map(|path| {
                        ["", ".*", "/index.*", "/_index.*"].map(|end| format!("{path}{end}"))
                    })
                    .collect(),
            };
            DefaultValues {
                patterns,
                kind: of_target("kind"),
                language: match of_target("lang").as_str() {
                    "" => languages(target),
                    language => language.to_owned(),
                },
                environment: of_target("environment"),
                values: without_settings(document::json_of(table)),
                ..DefaultValues::default()
            }
        })
        .collect()
}

/// Returns the pattern of the languages in `sites.matrix` of a target of Hugo 0.153, which is empty for all.
fn languages(target: Option<&Table>) -> String {
    let matrix = target.and_then(|target| inner(inner(target, "sites")?, "matrix"));
    let languages = matrix.map(|matrix| texts(matrix, "languages"));
    match languages.unwrap_or_default().as_slice() {
        [] => String::new(),
        languages => format!("{{{}}}", languages.join(",")),
    }
}

/// Returns `values` without those that other settings read.
pub fn without_settings(mut values: Map<String, Json>) -> Map<String, Json> {
    const SETTINGS: [&str; 4] = ["permalink", "cascade", "target", "_target"];
    values.retain(|key, _| !SETTINGS.iter().any(|name| key.eq_ignore_ascii_case(name)));
    values
}
