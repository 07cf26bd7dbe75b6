//! The names of the templates for a page, most specific first; the first one in the theme is used (Ghost 6.65, recorded).

use crate::domain::post::{Post, PostKind};

/// The field of a post or page with the name of its template.
pub const TEMPLATE_FIELD: &str = "custom_template";

/// Returns the templates for the list of a route: `home` at the root, those of the route, the one with its name, and `index`.
pub(super) fn of_list(path: &str, name: &str, own: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    if path == "/" {
        names.push("home".to_owned());
    }
    names.extend(own.iter().cloned());
    for last in [name, "index"] {
        // A route may name one of these templates itself, and its position then counts.
        if !names.iter().any(|known| known == last) {
            names.push(last.to_owned());
        }
    }
    names
}

/// Returns the templates for the posts of a tag or an author.
pub(super) fn of_taxonomy(kind: &str, slug: &str) -> Vec<String> {
    vec![
        format!("{kind}-{slug}"),
        kind.to_owned(),
        "index".to_owned(),
    ]
}

/// Returns the templates for a post or page.
pub(super) fn of_record(post: &Post) -> Vec<String> {
    let mut names = vec![format!("{}-{}", post.kind.name(), post.slug)];
    names.extend(post.custom_template.as_deref().map(str::to_owned));
    if post.kind == PostKind::Page {
        names.push("page".to_owned());
    }
    names.push("post".to_owned());
    names
}

/// Returns the templates for an error.
pub(super) fn of_error(status: u16) -> Vec<String> {
    vec![
        format!("error-{status}"),
        format!("error-{}xx", status / 100),
        "error".to_owned(),
    ]
}
