//! The paths at which Astro publishes documents.

use crate::generators::{
    document::{Document, Location},
    permalink,
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = Location::of(document.in_project);
    if let ["src", "pages", below @ ..] = location.folders.as_slice() {
        let location = Location {
            folders: below.to_vec(),
            stem: location.stem,
        };
        return Some(location.page(&["index"]));
    }
    let ["src", "content", collection, below @ ..] = location.folders.as_slice() else {
        return None;
    };
    let id = match document.text("slug") {
        Some(slug) => slug.to_owned(),
        None => {
            let parts = below.iter().copied().chain([location.stem]);
            let parts = parts.filter(|part| *part != "index");
            parts
                .map(permalink::github_slug)
                .collect::<Vec<_>>()
                .join("/")
        }
    };
    let above = document.pattern("").unwrap_or(collection);
    Some(format!("{above}/{id}"))
}
