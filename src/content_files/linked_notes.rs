//! Recognises notes that link to each other by name, in double brackets, such as a vault of Obsidian without its settings.

use std::{collections::HashSet, path::Path};

use crate::{content_files::path_properties, generators::settings::literals::text_of};

/// Maximum number of documents that are read.
const DOCUMENTS_MAX: usize = 300;

/// Maximum length of a name in double brackets, in bytes.
const NAME_BYTES_MAX: usize = 300;

/// Returns whether a document among `paths`, the files in the folder `root`, links to one of these files by name.
pub(super) fn are_in<'a>(root: &Path, paths: impl Iterator<Item = &'a str> + Clone) -> bool {
    // The detection reads documents only here, and not all of a large folder.
    let documents = paths
        .clone()
        .filter(|path| path_properties::is_markdown(path))
        .take(DOCUMENTS_MAX);
    let mut names: Option<HashSet<String>> = None;
    for path in documents {
        let text = text_of(root, path);
        let mut linked = linked_names(&text).peekable();
        if linked.peek().is_none() {
            continue;
        }
        // Most folders have no such links, so the names are collected at the first one.
        let names = names.get_or_insert_with(|| paths.clone().flat_map(names_of).collect());
        if linked.any(|name| names.contains(&name)) {
            return true;
        }
    }
    false
}

/// Returns the names by which notes link to a file, in lower case: the file name, and for a document also the name without its
/// extension.
fn names_of(path: &str) -> Vec<String> {
    let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let stem = file.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let stem = stem.filter(|_| path_properties::is_markdown(path));
    stem.into_iter().chain([file]).collect()
}

/// Returns the names in double brackets, without folders, headings and link texts, in lower case.
fn linked_names(text: &str) -> impl Iterator<Item = String> {
    text.split("[[").skip(1).filter_map(|rest| {
        let rest = &rest[..rest.floor_char_boundary(NAME_BYTES_MAX)];
        let (inside, _) = rest.split_once("]]")?;
        let name = inside.split(['|', '#']).next().unwrap_or_default();
        // In a table, the separator is escaped: `[[note\|text]]`.
        let name = name.trim_end_matches('\\').trim();
        let name = name.rsplit('/').next().unwrap_or(name);
        (!name.is_empty() && !inside.contains('\n')).then(|| name.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_link_a_file_of_the_folder_are_linked() {
        for (text, expected) in [
            ("![[Map.png]]", true),
            ("[[b c]]", true),
            ("[[notes/B c#D|e]]", true),
            ("[[b d]]", false),
            ("[[ -f b ]]\n", false),
            ("[[b\nc]]", false),
            ("[b c](b.md)", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("notes")).unwrap();
            std::fs::write(folder.path().join("a.md"), text).unwrap();
            std::fs::write(folder.path().join("notes/B c.md"), "f").unwrap();
            let paths = ["a.md", "notes/B c.md", "notes/map.png"];
            assert_eq!(are_in(folder.path(), paths.into_iter()), expected, "{text}");
        }
    }
}
