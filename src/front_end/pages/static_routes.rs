//! The pages of routes that are no list, and the records that routes give to their templates.

use std::rc::Rc;

use super::{
    answer::Answer,
    lists,
    rendering::{self, PageFailure},
};
use crate::{
    domain::routes::{Controller, RouteData, RouteResource, Selection, StaticRoute},
    front_end::{
        model::{self, PostView, get},
        state::PageState,
    },
    templates::{Object, Record, Value},
};

/// Returns the page of a route. `slug` is the text that a variable of its path matched.
pub(super) fn page(
    state: &Rc<PageState>,
    route: &StaticRoute,
    slug: Option<&str>,
) -> Result<Answer, PageFailure> {
    let name = lists::route_name(&route.path);
    let mut root = records(state, &route.data, slug)?;
    if let (Some(page), None) = (root.get("page"), root.get("post")) {
        root.set("post", page);
    }
    let state = &lists::with_contexts(state, 1, &[name], &root);
    let show_title = root.get("page").is_none_or(|page| match page.get("show_title_and_feature_image") {
        Value::Bool(is_shown) => is_shown,
        _ => true,
    });
    let mut page = rendering::render(state, &route.templates, root, show_title)?;
    if let Controller::Static { content_type: Some(content_type) } = &route.controller {
        page.content_type = with_charset(content_type);
    }
    Ok(Answer::Page(page))
}

/// Returns a media type of text with its character set.
fn with_charset(content_type: &str) -> String {
    let is_text = content_type.starts_with("text/") || content_type.ends_with("json") || content_type.ends_with("xml");
    if is_text && !content_type.contains("charset") {
        format!("{content_type}; charset=utf-8")
    } else {
        content_type.to_owned()
    }
}

/// Returns a text of `routes.yaml` in which `%s` is replaced by the text that a variable of the path matched.
pub(super) fn filled(text: &str, slug: Option<&str>) -> String {
    slug.map_or_else(|| text.to_owned(), |slug| text.replace("%s", slug))
}

/// Returns the records that a route gives to its template.
///
/// # Errors
///
/// `NotFound` if a record that is read does not exist.
pub(super) fn records(
    state: &Rc<PageState>,
    data: &[RouteData],
    slug: Option<&str>,
) -> Result<Record, PageFailure> {
    let mut root = Record::new();
    for data in data {
        let value = match &data.selection {
            Selection::Read { slug: own, .. } => {
                record(state, data.resource, &filled(own, slug)).ok_or(PageFailure::NotFound)?
            }
            Selection::Browse { filter, order, limit, page } => {
                let filter = filter.as_deref().map(|filter| filled(filter, slug));
                get::browse(state, data.resource, filter, order.clone(), *limit, *page)?
            }
        };
        root.set(&data.name, value);
    }
    Ok(root)
}

/// Returns a record by its slug, as readers may see it.
fn record(state: &Rc<PageState>, resource: RouteResource, slug: &str) -> Option<Value> {
    let catalog = &state.snapshot.catalog;
    match resource {
        RouteResource::Posts | RouteResource::Pages => {
            let post = catalog.posts.by_slug(slug).filter(|post| post.is_listed())?;
            Some(model::post(state, post, PostView::Published))
        }
        RouteResource::Tags => {
            catalog.tags.by_slug(slug).map(|tag| model::tag(state, tag))
        }
        RouteResource::Authors => {
            catalog.users.by_slug(slug).map(|author| model::author(state, author))
        }
    }
}
