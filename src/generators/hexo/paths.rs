//! The paths at which Hexo publishes documents.

use crate::generators::{
    document::{Document, Location},
    permalink,
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = Location::of(document.below_root);
    let is_post = ["_posts", "_drafts"]
        .iter()
        .any(|folder| location.folders.contains(folder));
    if !is_post {
        return Some(match document.text("permalink") {
            Some(permalink) => permalink.to_owned(),
            None if location.stem == "index" => location.folders.join("/"),
            None => location.joined(location.stem) + ".html",
        });
    }
    let location = location.below("_posts").below("_drafts");
    let name = location.joined(location.stem);
    let style = document.settings.addresses.style.as_str();
    let style = Some(style).filter(|style| !style.is_empty());
    let pattern = document.text("permalink").or(style);
    permalink::expand(pattern.unwrap_or(":year/:month/:day/:title/"), |token| {
        Some(match token {
            "title" => name.clone(),
            "name" => location.stem.to_owned(),
            "post_title" => permalink::hugo_path(document.title),
            "category" => document.categories().into_iter().next()?.to_lowercase(),
            token => permalink::date_part(token, document.date()?)?,
        })
    })
}
