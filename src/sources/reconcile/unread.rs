//! Markdown files that are not served, because they lie outside the folders of posts and pages.

use std::collections::BTreeMap;

use crate::sources::{Diagnostic, layout};

const ADVICE: &str = "move posts to posts/ and pages to pages/, or import the folder of another generator with `galley import`";

/// Returns a warning for each folder at the top with files among `paths` that are Markdown and no content. It names the first
/// one and counts them.
pub fn unread_files<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<Diagnostic> {
    let mut folders: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for path in paths.filter(|path| layout::is_unread_markdown(path)) {
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder).or_insert((path, 0)).1 += 1;
    }
    let warnings = folders.into_iter().map(|(folder, (first, count))| {
        let place = match folder {
            "" => "at the top of the content folder".to_owned(),
            folder => format!("in {folder}/"),
        };
        let message = match count {
            1 => format!("a Markdown file {place} is not served"),
            _ => format!("{count} Markdown files {place} are not served"),
        };
        Diagnostic::about_file(first, message, ADVICE).into_warning()
    });
    warnings.collect()
}
