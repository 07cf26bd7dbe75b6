//! Eleventy's data files, for the site (`_data/metadata.js`) and for all documents of a folder (`blog/blog.json`,
//! `blog/blog.11tydata.js`). None is run.

use std::path::Path;

use super::literals::{SCRIPTS, literal, permalink_in, text, text_of};
use crate::sources::{
    document::{self, Language},
    permalink::PatternRule,
};

/// Maximum depth and number of folders with data files.
const DEPTH_MAX: usize = 5;
const FOLDERS_MAX: usize = 500;

/// Returns the `permalink` of the folders of the project `root` below `input`, the innermost first.
pub fn permalinks(root: &Path, input: &str) -> Vec<PatternRule> {
    let mut rules = Vec::new();
    let mut folders = vec![(input.to_owned(), 0)];
    let mut place = 0;
    while let Some((folder, depth)) = folders.get(place).cloned() {
        place += 1;
        rules.extend(of_folder(root, &folder).map(|pattern| PatternRule {
            folder: folder.clone(),
            pattern,
            ..PatternRule::default()
        }));
        if depth == DEPTH_MAX || folders.len() >= FOLDERS_MAX {
            continue;
        }
        let Ok(entries) = root.join(&folder).read_dir() else {
            continue;
        };
        let names = entries.filter_map(Result::ok);
        let names = names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> = names
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with(['.', '_']) && name != "node_modules")
            .collect();
        names.sort();
        folders.extend(names.into_iter().map(|name| match folder.as_str() {
            "" => (name, depth + 1),
            folder => (format!("{folder}/{name}"), depth + 1),
        }));
    }
    rules.reverse();
    rules
}

/// Returns the site's URL, if a project's global data contains it literally.
pub fn url_of_site(root: &Path, input: &str) -> Option<String> {
    const NAMES: [&str; 4] = ["metadata", "site", "meta", "config"];
    let folder = root.join(input).join("_data");
    let of_data = |name: &&str| {
        let path = ["json", "yaml", "yml"].map(|extension| format!("{name}.{extension}"));
        let path = path.iter().map(|file| folder.join(file));
        let path = path.into_iter().find(|path| path.is_file())?;
        let table = document::parse(Language::Yaml, &text_of(&path), 0).ok()?;
        text(&table, "url")
    };
    let of_script = |name: &&str| {
        let path = SCRIPTS.map(|extension| folder.join(format!("{name}.{extension}")));
        let path = path.into_iter().find(|path| path.is_file())?;
        literal(&text_of(&path), "url")
    };
    let mut names = NAMES.iter();
    names.find_map(|name| of_data(name).or_else(|| of_script(name)))
}

/// Returns the literal `permalink` in the data files of a folder.
fn of_folder(root: &Path, folder: &str) -> Option<String> {
    let path = root.join(folder);
    let name = path.file_name()?.to_str()?;
    let file = |extension: &str| path.join(format!("{name}.{extension}"));
    let mut data = ["json", "11tydata.json"]
        .iter()
        .map(|extension| file(extension));
    let of_data = data.find_map(|path| {
        let table = path
            .is_file()
            .then(|| document::parse(Language::Yaml, &text_of(&path), 0).ok())?;
        text(&table?, "permalink")
    });
    let mut scripts = ["js", "mjs", "cjs"].iter();
    let of_script = || {
        scripts.find_map(|extension| {
            let path = file(&format!("11tydata.{extension}"));
            let script = path.is_file().then(|| text_of(&path))?;
            permalink_in(&script)
        })
    };
    of_data.or_else(of_script)
}
