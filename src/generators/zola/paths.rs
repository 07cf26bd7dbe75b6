//! The paths at which Zola publishes documents.

use crate::{
    generators::document::{Document, PathParts},
    render::slug::{self, Kind},
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    if let Some(path) = document.text("path") {
        return Some(path.to_owned());
    }
    let mut location = PathParts::of(document.below_root);
    let slugs = |folders: &[&str]| {
        let parts = folders
            .iter()
            .map(|part| slug::from_text(Kind::Post, part, ""));
        parts.collect::<Vec<_>>().join("/")
    };
    if location.stem == "_index" {
        return Some(slugs(&location.folders));
    }
    if location.stem == "index" {
        location.stem = location.folders.pop()?;
    }
    let name = document
        .text("slug")
        .unwrap_or(document.without_date(location.stem));
    location.folders.push(name);
    Some(slugs(&location.folders))
}
