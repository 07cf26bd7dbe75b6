//! Reads `cascade` in the settings and sections of Hugo.

use std::path::Path;

use crate::{
    content_text::{
        Diagnostic, Source,
        document::{self, Kind, Table},
    },
    generators::{
        front_matter::FrontMatter,
        reading_rules::ReadingRules,
        settings::{
            default_values::{DefaultValues, FILES_BYTES_MAX, beyond_limit, without_settings},
            folders::{below, folders_below},
            literals::{inner, text, text_of, texts, value},
        },
    },
};

/// Maximum depth and number of section folders that are read.
const SECTION_DEPTH_MAX: usize = 12;
const SECTIONS_MAX: usize = 5_000;

/// Returns the values that the settings `tables` and the sections below the folders of documents `roots` pass on to
/// documents. Adds diagnostics of unused values to `problems`.
pub(super) fn of_project<'t>(
    root: &Path,
    roots: &[String],
    tables: impl Iterator<Item = &'t Table>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<DefaultValues> {
    // The rules are in order of increasing precedence: the configuration,
    // then sections from the outside inwards.
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
            let head = source.and_then(|source| {
                FrontMatter::of_other_generator(&source, &ReadingRules::HUGO).ok()
            });
            // Errors in the file are reported when it is read as a document.
            let passed_on = head.map(|head| cascade(&head.table, roots));
            let passed_on = passed_on.unwrap_or_default();
            // Only files with values count, because every section has a file.
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

/// Returns the files that may contain the values of a section: `_index.md`, `_index.fr.md`.
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

/// Returns the values that `cascade` in `table` passes on. Its first table takes precedence, so the tables are in reverse
/// order.
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
            // `_target` is the former name of `target`.
            let target = inner(table, "target").or_else(|| inner(table, "_target"));
            let of_target = |key| {
                target
                    .and_then(|target| text(target, key))
                    .unwrap_or_default()
            };
            // Each alternative is a whole path: `{/books,/books/**}`.
            let path = of_target("path").replace("{/", "{").replace(",/", ",");
            let patterns = match path.trim_start_matches('/') {
                "" => Vec::new(),
                path => roots
                    .iter()
                    .map(|root| below(root, path))
                    // A path in Hugo has no extension, and a page bundle has the path of its folder.
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

/// Returns the pattern of the languages in `sites.matrix` of a target (Hugo 0.153); empty for all languages.
fn languages(target: Option<&Table>) -> String {
    let matrix = target.and_then(|target| inner(inner(target, "sites")?, "matrix"));
    let languages = matrix.map(|matrix| texts(matrix, "languages"));
    match languages.unwrap_or_default().as_slice() {
        [] => String::new(),
        languages => format!("{{{}}}", languages.join(",")),
    }
}
