//! The contexts of pages that have no record of their own.

use crate::{
    front_end::state::PageState,
    templates::{Object, PlainObject},
};

/// Returns the name of the route at a path: the path without slashes, `index` at the first page of the site.
pub(super) fn route_name(path: &str) -> String {
    match path.replace('/', "") {
        name if name.is_empty() => "index".to_owned(),
        name => name,
    }
}

/// Returns the state with the contexts of a page that has no record of its own, in Ghost's order.
pub(super) fn with_contexts(
    state: &PageState,
    page: usize,
    own: &str,
    root: &PlainObject,
) -> PageState {
    let mut contexts = Vec::new();
    if page > 1 {
        contexts.push("paged".to_owned());
    }
    if state.path == "/" {
        contexts.push("home".to_owned());
    }
    contexts.push(own.to_owned());
    // The first of these records that a route gives to its template is a context, too.
    let given = ["page", "post", "tag"]
        .into_iter()
        .find(|name| root.get(name).is_some());
    if let Some(given) = given.filter(|given| !contexts.iter().any(|own| own == given)) {
        contexts.push(given.to_owned());
    }
    PageState {
        contexts,
        ..state.clone()
    }
}
