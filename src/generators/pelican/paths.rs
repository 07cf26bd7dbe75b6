//! The paths at which Pelican publishes articles and pages: patterns such as `{date:%Y}/{slug}.html`.

use crate::generators::{
    document::{Document, PathParts},
    pelican::{metadata, slugs},
    profile::{DocumentKind, Role},
};

/// Returns the path at which the document is published; `None` if the pattern has an unknown placeholder.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    if let Some(path) = document.text("save_as").or_else(|| document.text("url")) {
        return Some(clean(path));
    }
    let is_page = document.role == Role::Document(DocumentKind::Page);
    let (kind, default) = if is_page {
        ("page", "pages/{slug}.html")
    } else {
        ("article", "{slug}.html")
    };
    let urls = &document.settings.urls;
    let pattern = urls.pattern(document.in_project, kind).unwrap_or(default);
    filled(pattern, document).map(|path| clean(&path))
}

/// Returns a path without the name of an index file.
fn clean(path: &str) -> String {
    let path = path.trim_matches('/');
    match path.strip_suffix("index.html") {
        // The name of another page may end with that of an index file: `card-index.html`.
        Some(folder) if folder.is_empty() || folder.ends_with('/') => folder.to_owned(),
        _ => path.to_owned(),
    }
}

fn filled(pattern: &str, document: &Document<'_>) -> Option<String> {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, after) = after.split_once('}')?;
        path.push_str(before);
        path.push_str(&value(placeholder, document)?);
        rest = after;
    }
    path.push_str(rest);
    Some(path)
}

fn value(placeholder: &str, document: &Document<'_>) -> Option<String> {
    let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
    let location = PathParts::of(document.below_root);
    let slugged = |text: &str| slugs::of(text, &document.settings.site);
    Some(match name {
        "slug" => slug(document, &location),
        "date" => {
            let date = document.date()?;
            if format.is_empty() {
                date.to_string()
            } else {
                date.strftime(format).to_string()
            }
        }
        "category" => {
            let folder = location.folders.last().copied().unwrap_or("misc");
            let category = document.categories().into_iter().next();
            slugged(&category.unwrap_or_else(|| folder.to_owned()))
        }
        "author" => slugged(document.text("author").or(document.text("authors"))?),
        "lang" => document
            .text("lang")
            .or(document.settings.language.as_deref())?
            .to_owned(),
        // Any other value, such as one found in the document's path.
        name => document.text(name)?.to_owned(),
    })
}

/// Returns the slug in front matter or the path, else that of the title or of the file's name.
fn slug(document: &Document<'_>, location: &PathParts<'_>) -> String {
    let of_path = || document.text(metadata::SLUG_OF_PATH);
    if let Some(slug) = document.text("slug").or_else(of_path) {
        return slug.to_owned();
    }
    // `SLUGIFY_SOURCE` is stored as the style.
    if document.settings.urls.style == "basename" || document.title.is_empty() {
        return slugs::of(location.stem, &document.settings.site);
    }
    slugs::of(document.title, &document.settings.site)
}
