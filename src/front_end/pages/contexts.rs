//! The contexts of pages that do not belong to a single record.

use crate::{
    front_end::state::PageState,
    templates::{Object, PlainObject},
};

/// Returns the name of the route at a path: the path without slashes, or `index` for the root.
pub(super) fn route_name(path: &str) -> String {
    match path.replace('/', "") {
        name if name.is_empty() => "index".to_owned(),
        name => name,
    }
}

/// Returns the state with the contexts of a page that does not belong to a single record, in Ghost's order.
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
    // The first of these records that the route passes to its template is a context too.
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
