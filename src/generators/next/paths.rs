//! The paths at which Next.js publishes documents.

use crate::generators::document::PathParts;

/// Returns the path of a page of Next.js. Folders in parentheses are route groups, which are not part of the path.
pub(super) fn published_path(in_project: &str) -> String {
    let mut location = PathParts::of(in_project);
    if location.folders.first() == Some(&"src") {
        location.folders.remove(0);
    }
    let roots = ["_content", "app", "content", "contents", "data", "pages"];
    if location
        .folders
        .first()
        .is_some_and(|folder| roots.contains(folder))
    {
        location.folders.remove(0);
    }
    location.folders.retain(|folder| !folder.starts_with('('));
    location.page(&["index", "page"])
}
