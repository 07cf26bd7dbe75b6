//! The paths at which Hugo publishes documents.

use crate::generators::{
    document::{Document, PathParts},
    hugo::settings::UGLY,
    permalink,
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let mut location = PathParts::of(document.below_root);
    let is_list = location.stem == "_index" || document.below_root.starts_with("index.");
    // A bundle has the name of its folder.
    if !is_list && location.stem == "index" {
        location.stem = location.folders.pop()?;
    }
    let location = &location;
    let name = location.stem;
    let urlized = |path: &str| -> String {
        let parts = path.split('/').map(permalink::hugo_path);
        parts.collect::<Vec<_>>().join("/")
    };
    let slug = document.text("slug");
    let value = |token: &str| {
        let sections = location.folders.join("/");
        Some(match token {
            "section" => location
                .folders
                .first()
                .copied()
                .unwrap_or_default()
                .to_owned(),
            "sections" => sections,
            "title" => document.title.to_owned(),
            // Without a slug, `:slug` is the title, whereas a document without
            // a pattern has the name of its file.
            "slug" => slug.unwrap_or(document.title).to_owned(),
            "slugorfilename" | "slugorcontentbasename" => slug.unwrap_or(name).to_owned(),
            "filename" | "contentbasename" => name.to_owned(),
            token => match permalink::section_range(token, &location.folders) {
                Some(sections) => sections,
                None => permalink::date_part(token, document.date()?)?,
            },
        })
    };
    // `url` replaces the whole path, also that of a section.
    if let Some(url) = document.text("url") {
        return permalink::expand(url, value);
    }
    if is_list {
        return Some(urlized(&location.folders.join("/")));
    }
    let section = location.folders.first().copied().unwrap_or_default();
    let is_ugly = document.settings.urls.style_of(section) == UGLY;
    let path = match document.pattern(section) {
        Some(pattern) => {
            let path = permalink::expand(pattern, |token| Some(urlized(&value(token)?)))?;
            // Hugo 0.111 decodes the result like a query, in which `+` is a space, and then replaces spaces with hyphens.
            if path.contains('+') {
                urlized(&path.replace('+', " "))
            } else {
                path
            }
        }
        None => urlized(&location.joined(slug.unwrap_or(name))),
    };
    let has_extension = path.ends_with(".html") || path.ends_with(".htm");
    Some(if is_ugly && !has_extension {
        format!("{}.html", path.trim_end_matches('/'))
    } else {
        path
    })
}
