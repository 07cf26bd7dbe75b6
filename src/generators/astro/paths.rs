//! The paths at which Astro publishes documents.

use crate::generators::{
    astro::settings::COLLECTION,
    document::{Document, PathParts},
    permalink,
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
    let rules = document.settings.urls.patterns.iter();
    let bases = rules.filter(|rule| {
        let below = document.in_project.strip_prefix(&rule.folder);
        rule.kind == COLLECTION && below.is_some_and(|below| below.starts_with('/'))
    });
    // The base of one collection may be below that of another.
    if let Some(rule) = bases.max_by_key(|rule| rule.folder.len()) {
        let depth = rule.folder.split('/').count();
        let id = id(document, &location.folders[depth..], location.stem);
        return Some(format!("{}/{id}", rule.pattern));
    }
    let ["src", "content", collection, below @ ..] = location.folders.as_slice() else {
        return None;
    };
    let id = id(document, below, location.stem);
    Some(match document.pattern("") {
        // Starlight's front page: an `index` directly in the collection keeps its name in the id.
        Some(_) if id == "index" => String::new(),
        Some(top) => format!("{top}/{id}"),
        None => format!("{collection}/{id}"),
    })
}

/// Returns the id of a document in its collection. `below` are its folders below the folder of the collection.
fn id(document: &Document<'_>, below: &[&str], stem: &str) -> String {
    if let Some(slug) = document.text("slug") {
        return slug.to_owned();
    }
    let parts = below.iter().copied().chain([stem]);
    let id = parts
        .map(permalink::github_slug)
        .collect::<Vec<_>>()
        .join("/");
    // Only one `index`, at the end and below a folder (`getContentEntryIdAndSlug` of Astro 5).
    match id.strip_suffix("/index") {
        Some(folder) => folder.to_owned(),
        None => id,
    }
}
