//! The paths at which Eleventy publishes documents.

use std::sync::LazyLock;

use crate::{
    generators::{
        document::{Document, PathParts},
        permalink,
        settings::{Regex, literals::regex},
    },
    render::slug::{self, Kind},
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let input = &document.settings.urls.input;
    let below = document
        .in_project
        .strip_prefix(input.as_str())
        .unwrap_or(document.in_project);
    let location = PathParts::of(below);
    let name = location.stem;
    // As in Eleventy, `posts/posts.md` is the page of `posts/`.
    let is_folder = name == "index" || location.folders.last() == Some(&name);
    let page = if is_folder {
        location.folders.join("/")
    } else {
        location.joined(name)
    };
    let computed = || {
        document
            .page
            .get("eleventyComputed")?
            .get("permalink")?
            .as_str()
    };
    let pattern = computed().or_else(|| document.text("permalink"));
    let pattern = pattern.or_else(|| document.pattern(""));
    let Some(pattern) = pattern else {
        return Some(page);
    };
    let file_slug = match behind_date(name) {
        "index" => behind_date(location.folders.last().copied().unwrap_or_default()),
        name => name,
    };
    permalink::fill(pattern, |value| {
        let slugify = |text: &str| slug::from_text(Kind::Post, text, "");
        let (wanted, filter) = match value.split_once('|') {
            Some((name, filter)) => (name.trim(), filter.trim()),
            None => (value.trim(), ""),
        };
        let text = match wanted {
            "page.fileSlug" => file_slug.to_owned(),
            "page.filePathStem" => format!("/{}", location.joined(behind_date(name))),
            "title" => document.title.to_owned(),
            wanted => document.text(wanted)?.to_owned(),
        };
        match filter {
            "" | "safe" => Some(text),
            "slug" | "slugify" => Some(slugify(&text)),
            _ => None,
        }
    })
}

/// Returns the text after the first date and its `-` in a name. The date need not be at the start, as in Eleventy 3.1.
fn behind_date(name: &str) -> &str {
    static DATE: LazyLock<Regex> = LazyLock::new(|| regex("[0-9]{4}-[0-9]{2}-[0-9]{2}-"));
    DATE.find(name).map_or(name, |date| &name[date.end()..])
}
