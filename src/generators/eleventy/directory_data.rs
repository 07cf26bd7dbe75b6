//! Eleventy's data files, for the site (`_data/metadata.js`) and for all documents of a folder (`blog/blog.json`,
//! `blog/blog.11tydata.js`). None is run.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::{
    content_text::{Diagnostic, document, document::Language},
    generators::{
        permalink::PatternRule,
        reading_rules::ReadingRules,
        settings::{
            default_values::{DefaultValues, FILES_BYTES_MAX, beyond_limit, without_settings},
            folders::{below, folders_below},
            literals::{SCRIPTS, literal, permalink_in, text, text_of, unused_file},
        },
        syntax::{declarations, declarations::ExportedObject},
    },
};

/// Names of data files with the site's URL.
pub const SITE_FILES: [&str; 4] = ["metadata", "site", "meta", "config"];

/// Maximum depth and number of folders with data files.
const DEPTH_MAX: usize = 5;
const FOLDERS_MAX: usize = 500;

/// Returns the folders of the project `root` with documents below `input`, the innermost first.
pub fn folders(root: &Path, input: &str) -> Vec<String> {
    const OTHERS: [&str; 5] = ["_data", "_includes", "_layouts", "_site", "node_modules"];
    let is_left_out = |name: &str| OTHERS.contains(&name);
    let mut folders = folders_below(root, input, (DEPTH_MAX, FOLDERS_MAX), is_left_out);
    folders.reverse();
    folders
}

/// Returns the `permalink` of `folders`.
pub fn permalinks(root: &Path, folders: &[String]) -> Vec<PatternRule> {
    let rules = folders.iter().filter_map(|folder| {
        Some(PatternRule {
            folder: folder.clone(),
            pattern: permalink_of(root, folder)?,
            ..PatternRule::default()
        })
    });
    rules.collect()
}

/// Returns the values that the data files in `folders`, the innermost first, have for all documents of a folder, and those for
/// single documents. Of a script the literals in an exported object count. Adds diagnostics of unused values to `problems`.
pub fn default_values(
    root: &Path,
    folders: &[String],
    problems: &mut Vec<Diagnostic>,
) -> Vec<DefaultValues> {
    let mut of_documents = Vec::new();
    let mut of_folders = Vec::new();
    let mut bytes = 0;
    'folders: for folder in folders.iter().rev() {
        let own = folder.rsplit('/').next().unwrap_or_default();
        for (stem, name) in data_files(&root.join(folder), own) {
            let file = below(folder, &name);
            let text = text_of(root, &file);
            bytes += text.len();
            if bytes > FILES_BYTES_MAX {
                problems.push(beyond_limit(&file));
                break 'folders;
            }
            let mut values = if name.ends_with(".json") {
                of_json(&file, &text, problems)
            } else {
                of_script(&file, &text, problems)
            };
            if let Some(tags) = values.get_mut("tags") {
                *tags = internal_tags(tags);
            }
            let (rules, patterns) = if stem == own {
                (&mut of_folders, Vec::new())
            } else {
                let pattern = below(folder, &format!("{stem}.*"));
                (&mut of_documents, vec![pattern])
            };
            rules.push(DefaultValues {
                folder: folder.clone(),
                patterns,
                values: without_settings(values),
                ..DefaultValues::default()
            });
        }
    }
    of_folders.extend(of_documents);
    of_folders
}

fn of_json(file: &str, text: &str, problems: &mut Vec<Diagnostic>) -> Map<String, Json> {
    match document::parse(Language::Yaml, text, 0) {
        Ok(table) => document::json_of(&table),
        Err(malformed) => {
            problems.push(unused_file(file, text, malformed));
            Map::new()
        }
    }
}

fn of_script(file: &str, text: &str, problems: &mut Vec<Diagnostic>) -> Map<String, Json> {
    const ADVICE: &str = "write it as a literal here, or in the documents";
    let Some(ExportedObject { values, computed }) = declarations::exported_object(text) else {
        let message = "this script is not run, so its values are missing from documents";
        problems.push(Diagnostic::about_file(file, message, ADVICE).into_warning());
        return Map::new();
    };
    if !computed.is_empty() {
        let message =
            "this script is not run, so the values that it computes are missing from documents";
        let keys: Vec<String> = computed.iter().map(|key| format!("`{key}`")).collect();
        let problem = Diagnostic::about_file(file, message, ADVICE).into_warning();
        problems.push(problem.with_detail(keys.join(", ")));
    }
    values
}

/// Returns `tags`, which make collections of all documents of a folder, as internal ones: they do not describe a single
/// document.
fn internal_tags(tags: &Json) -> Json {
    let tags = match tags {
        Json::Array(tags) => tags.as_slice(),
        tags => std::slice::from_ref(tags),
    };
    let names = tags.iter().filter_map(Json::as_str);
    let names = names.filter_map(|tag| ReadingRules::ELEVENTY.tag(tag));
    names
        .map(|name| Json::String(format!("#{}", name.trim_start_matches('#'))))
        .collect()
}

/// Returns the data files in `folder`, which is called `own`, with the names of the documents or the folder that they are for:
/// scripts, which Eleventy prefers, last.
fn data_files(folder: &Path, own: &str) -> Vec<(String, String)> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<(String, String)> = names
        .filter_map(|name| {
            let stem = match name.split_once(".11tydata.") {
                Some((stem, "json" | "js" | "mjs" | "cjs")) => stem.to_owned(),
                Some(_) => return None,
                None => name
                    .strip_suffix(".json")
                    .filter(|stem| *stem == own)?
                    .to_owned(),
            };
            Some((stem, name))
        })
        .collect();
    files.sort_by_key(|(_, name)| {
        (
            name.contains(".11tydata."),
            !name.ends_with(".json"),
            name.clone(),
        )
    });
    files
}

/// Returns the site's URL, if a project's global data contains it literally.
pub fn url_of_site(root: &Path, input: &str) -> Option<String> {
    let folder = below(input, "_data");
    let find = |name: &str, extensions: &[&str]| {
        let mut files = extensions
            .iter()
            .map(|extension| format!("{folder}/{name}.{extension}"));
        files.find(|file| root.join(file).is_file())
    };
    let of_data = |name: &&str| {
        let file = find(name, &["json", "yaml", "yml"])?;
        let table = document::parse(Language::Yaml, &text_of(root, &file), 0).ok()?;
        text(&table, "url")
    };
    let of_script = |name: &&str| literal(&text_of(root, &find(name, &SCRIPTS)?), "url");
    let mut names = SITE_FILES.iter();
    names.find_map(|name| of_data(name).or_else(|| of_script(name)))
}

/// Returns the literal `permalink` in the data files of a folder.
fn permalink_of(root: &Path, folder: &str) -> Option<String> {
    let name = Path::new(folder).file_name()?.to_str()?;
    let file = |extension: &str| text_of(root, &below(folder, &format!("{name}.{extension}")));
    let of_data = ["json", "11tydata.json"].iter().find_map(|extension| {
        let table = document::parse(Language::Yaml, &file(extension), 0).ok()?;
        text(&table, "permalink")
    });
    let mut scripts = ["js", "mjs", "cjs"].iter();
    let of_script =
        || scripts.find_map(|extension| permalink_in(&file(&format!("11tydata.{extension}"))));
    of_data.or_else(of_script)
}
