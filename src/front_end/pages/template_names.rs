//! The templates of a page, most particular first; the first that the theme has is used (Ghost 6.65, recorded).

use crate::domain::post::{Post, PostKind};

/// The field of a post or a page that names its template.
pub const TEMPLATE_FIELD: &str = "custom_template";

/// Returns those of a list that a route names: its own, that of the first page of the site, and that of its name.
pub(super) fn of_list(path: &str, name: &str, own: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    if path == "/" {
        names.push("home".to_owned());
    }
    names.extend(own.iter().cloned());
    for last in [name, "index"] {
        if !names.iter().any(|known| known == last) {
            names.push(last.to_owned());
        }
    }
    names
}

/// Returns those of the posts of a tag or an author.
pub(super) fn of_taxonomy(kind: &str, slug: &str) -> Vec<String> {
    vec![
        format!("{kind}-{slug}"),
        kind.to_owned(),
        "index".to_owned(),
    ]
}

/// Returns those of a post or a page.
pub(super) fn of_record(post: &Post) -> Vec<String> {
    let mut names = vec![format!("{}-{}", post.kind.name(), post.slug)];
    names.extend(post.custom_template.as_deref().map(str::to_owned));
    if post.kind == PostKind::Page {
        names.push("page".to_owned());
    }
    names.push("post".to_owned());
    names
}

/// Returns those of an error.
pub(super) fn of_error(status: u16) -> Vec<String> {
    vec![
        format!("error-{status}"),
        format!("error-{}xx", status / 100),
        "error".to_owned(),
    ]
}
