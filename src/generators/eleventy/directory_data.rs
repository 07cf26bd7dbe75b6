//! Reads Eleventy's data files for the site (`_data/metadata.js`) and for all documents of a folder (`blog/blog.json`,
//! `blog/blog.11tydata.js`). Scripts are not run.

use std::{collections::BTreeSet, path::Path, sync::LazyLock};

use serde_json::{Map, Value as Json};

use crate::{
    content_text::{Diagnostic, document, document::Language},
    generators::{
        permalink::PatternRule,
        reading_rules::ReadingRules,
        settings::{
            Regex,
            default_values::{DefaultValues, FILES_BYTES_MAX, beyond_limit, without_settings},
            folders::{below, folders_below},
            literals::{SCRIPTS, literal, permalink_in, regex, text, text_of, unused_file},
        },
        syntax::{declarations, declarations::ExportedObject},
    },
};

/// Names of data files that may contain the site's URL.
pub const SITE_FILES: [&str; 4] = ["metadata", "site", "meta", "config"];

/// Maximum depth and number of folders with data files.
const DEPTH_MAX: usize = 5;
const FOLDERS_MAX: usize = 500;

/// The data files of a project.
pub struct DirectoryData<'r> {
    root: &'r Path,
    /// The folders with documents, the innermost first.
    folders: Vec<String>,
    /// The name of folders' data files, if it is not the name of the folder.
    name: Option<String>,
}

impl<'r> DirectoryData<'r> {
    /// Finds the data files of the project `root`, whose documents are below `input` and whose configuration is `script`.
    pub fn of(root: &'r Path, input: &str, script: &str) -> Self {
        const OTHERS: [&str; 5] = ["_data", "_includes", "_layouts", "_site", "node_modules"];
        static NAME: LazyLock<Regex> =
            LazyLock::new(|| regex(r#"setDataFileBaseName\([ \t\r\n]*["'`]([^"'`$]+)["'`]"#));
        let is_left_out = |name: &str| OTHERS.contains(&name);
        let mut folders = folders_below(root, input, (DEPTH_MAX, FOLDERS_MAX), is_left_out);
        // Of URL patterns, the first one that fits applies, so inner folders come first.
        folders.reverse();
        let name = NAME.captures(script).map(|found| found[1].to_owned());
        Self {
            root,
            folders,
            name,
        }
    }

    /// Returns the name of the data files of `folder`.
    fn name_in<'n>(&'n self, folder: &'n str) -> &'n str {
        let own = folder.rsplit('/').next().unwrap_or_default();
        self.name.as_deref().unwrap_or(own)
    }

    /// Returns the `permalink` patterns of the folders.
    pub fn permalinks(&self) -> Vec<PatternRule> {
        let rules = self.folders.iter().filter_map(|folder| {
            Some(PatternRule {
                folder: folder.clone(),
                pattern: permalink_of(self.root, folder, self.name_in(folder))?,
                ..PatternRule::default()
            })
        });
        rules.collect()
    }

    /// Returns the values in data files: those for all documents of a folder, then those for single documents. Of a script,
    /// only the literals in an exported object are read. Adds diagnostics of unused values to `problems`.
    pub fn default_values(&self, problems: &mut Vec<Diagnostic>) -> Vec<DefaultValues> {
        default_values(self, problems)
    }
}

fn default_values(data: &DirectoryData<'_>, problems: &mut Vec<Diagnostic>) -> Vec<DefaultValues> {
    let root = data.root;
    let mut of_documents = Vec::new();
    let mut of_folders = Vec::new();
    let mut bytes = 0;
    // Of default values, later ones take precedence, so outer folders come first here.
    'folders: for folder in data.folders.iter().rev() {
        let own = data.name_in(folder);
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
    // Values for one document take precedence over those of all its folders.
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

/// Returns `tags` as internal tags: those of a data file form a collection of all documents of a folder and do not describe
/// a single document.
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

/// Returns the data files in `folder`, whose name is `own`, with the name of the documents or the folder that each is for.
/// Scripts, which Eleventy prefers, are last.
fn data_files(folder: &Path, own: &str) -> Vec<(String, String)> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: BTreeSet<String> = names.collect();
    let is_document = |stem: &str| {
        let mut extensions = ["md", "html", "njk", "liquid"].iter();
        extensions.any(|extension| names.contains(&format!("{stem}.{extension}")))
    };
    let files = names.iter().filter_map(|name| {
        let stem = match name.split_once(".11tydata.") {
            Some((stem, "json" | "js" | "mjs" | "cjs")) => stem,
            Some(_) => return None,
            None => name
                .strip_suffix(".json")
                // Other JSON files in a folder of documents are not data of Eleventy.
                .filter(|stem| *stem == own || is_document(stem))?,
        };
        Some((stem.to_owned(), name.clone()))
    });
    let mut files: Vec<(String, String)> = files.collect();
    files.sort_by_key(|(_, name)| {
        (
            name.contains(".11tydata."),
            !name.ends_with(".json"),
            name.clone(),
        )
    });
    files
}

/// Returns the site's URL, if the project's global data contains it as a literal.
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
fn permalink_of(root: &Path, folder: &str, name: &str) -> Option<String> {
    // `permalink` is a setting of URLs and not a value of documents, so it is read separately.
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
