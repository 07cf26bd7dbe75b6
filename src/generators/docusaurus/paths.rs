//! The paths at which Docusaurus publishes documents.

use crate::generators::{
    document::{Document, PathParts},
    permalink,
    profile::{DocumentKind, Role},
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = PathParts::of(document.in_project);
    if let ["src", "pages", below @ ..] = location.folders.as_slice() {
        let location = PathParts {
            folders: below.to_vec(),
            stem: location.stem,
        };
        return Some(location.page(&["index"]));
    }
    let rules = &document.settings.urls;
    // The folders of documents may be nested or outside the project.
    let folders = rules.patterns.iter().map(|rule| rule.folder.as_str());
    let served = document.settings.served_folders.iter().map(String::as_str);
    let is_in = |folder: &&str| {
        document
            .in_project
            .strip_prefix(*folder)
            .is_some_and(|rest| !folder.is_empty() && rest.starts_with('/'))
    };
    let known = folders
        .chain(served)
        .filter(is_in)
        .max_by_key(|folder| folder.len());
    let top = match known {
        Some(folder) => folder,
        None => *location.folders.first()?,
    };
    let location = PathParts::of(&document.in_project[top.len() + 1..]);
    let name = top.rsplit('/').next().unwrap_or(top);
    let route = rules
        .pattern(document.in_project, "")
        .unwrap_or(name)
        .trim_matches('/');
    let slug = document.text("slug");
    // In the blog, leading numbers of names stay in the path.
    if document.role == Role::Document(DocumentKind::Post) {
        let below = match slug {
            Some(slug) => slug.to_owned(),
            None => permalink::docusaurus_post(&location.page(&["index"])),
        };
        return Some(format!("{route}/{below}"));
    }
    let mut location = location;
    for folder in &mut location.folders {
        *folder = permalink::without_number(folder);
    }
    let name = permalink::without_number(location.stem);
    let folder = location.folders.last().copied().unwrap_or_default();
    // A document with the name of its folder is also the page of the folder.
    let is_index = ["index", "readme"].contains(&name.to_ascii_lowercase().as_str())
        || name.eq_ignore_ascii_case(folder);
    let below = match slug {
        Some(slug) if slug.starts_with('/') => slug.to_owned(),
        Some(slug) => location.joined(slug.trim_start_matches("./")),
        None if is_index && document.text("id").is_none() => location.folders.join("/"),
        None => location.joined(document.text("id").unwrap_or(name)),
    };
    Some(format!("{route}/{below}"))
}
