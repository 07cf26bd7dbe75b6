//! What Eleventy's data files say about all texts of their folders: `blog/blog.json`, `blog/blog.11tydata.js`. None is run.

use std::path::Path;

use super::{
    project::text_of,
    settings::{permalink_in, text},
};
use crate::sources::{
    document::{self, Language},
    permalink::PatternRule,
};

/// How deep folders lie whose data is read, and how many of them.
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

/// Returns the `permalink` that the data files of a folder say literally.
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
