//! The paths at which MkDocs publishes documents.

use crate::generators::{
    document::{Document, PathParts},
    permalink,
    profile::{DocumentKind, Role},
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = PathParts::of(document.below_root);
    let rules = &document.settings.urls;
    let has_folders = rules.style != "html";
    let suffix = if has_folders { "" } else { ".html" };
    if document.role == Role::Document(DocumentKind::Post) {
        let pattern = document.pattern("posts")?;
        let date = document.date()?;
        let slug = match document.text("slug") {
            Some(slug) => slug.to_owned(),
            None => permalink::github_slug(document.title),
        };
        let below = pattern
            .replace("{date}", &date.strftime("%Y/%m/%d").to_string())
            .replace("{slug}", &slug)
            .replace("{file}", document.without_date(location.stem))
            .replace(
                "{categories}",
                &permalink::github_slug(&document.categories().join("/")),
            );
        return Some(format!("{}{suffix}", below.trim_matches('/')));
    }
    let page = location.page(&["index", "README"]);
    let is_index = ["index", "README"].contains(&location.stem);
    Some(if is_index { page } else { page + suffix })
}
