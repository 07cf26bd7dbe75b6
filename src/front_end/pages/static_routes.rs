//! Pages of routes that are not lists, and the records that routes pass to their templates.

use super::{
    contexts::{route_name, with_contexts},
    page_response::PageResponse,
    rendering::{self, PageFailure},
};
use crate::{
    domain::routes::{Controller, Limit, RouteData, RouteResource, Selection, StaticRoute},
    front_end::{
        model::{self, GetRequest, GetResource, PostView},
        state::PageState,
    },
    templates::{Object, PlainObject, Value},
};

/// Returns the page of a route. `slug` is the text matched by a variable in its path.
pub(super) fn page(
    state: &PageState,
    route: &StaticRoute,
    slug: Option<&str>,
) -> Result<PageResponse, PageFailure> {
    let name = route_name(&route.path);
    let mut root = records(state, &route.data, slug)?;
    // The templates of pages read their record as `post`.
    if let (Some(page), None) = (root.get("page"), root.get("post")) {
        root.set("post", page);
    }
    let state = &with_contexts(state, 1, &name, &root);
    let of_page = route.data.iter().find(|data| data.name == "page");
    let of_page = of_page.and_then(|data| match &data.selection {
        Selection::Read { slug: own, .. } => state.catalog().posts.by_slug(&filled(own, slug)),
        Selection::Browse { .. } => None,
    });
    let of_page = of_page.map(|page| model::page_settings(page));
    let mut page = rendering::render(state, &route.templates, root, of_page)?;
    if let Controller::Static {
        content_type: Some(content_type),
    } = &route.controller
    {
        page.content_type = with_charset(content_type);
    }
    Ok(PageResponse::Page(page))
}

/// Adds the character set to a media type for text.
fn with_charset(content_type: &str) -> String {
    let is_text = content_type.starts_with("text/")
        || content_type.ends_with("json")
        || content_type.ends_with("xml");
    if is_text && !content_type.contains("charset") {
        format!("{content_type}; charset=utf-8")
    } else {
        content_type.to_owned()
    }
}

/// Returns a string of `routes.yaml` in which `%s` is replaced by the text that a variable of the path matched.
pub(super) fn filled(text: &str, slug: Option<&str>) -> String {
    slug.map_or_else(|| text.to_owned(), |slug| text.replace("%s", slug))
}

/// Returns the records that a route passes to its template.
///
/// # Errors
///
/// `NotFound` if a single record does not exist.
pub(super) fn records(
    state: &PageState,
    data: &[RouteData],
    slug: Option<&str>,
) -> Result<PlainObject, PageFailure> {
    let mut root = PlainObject::new();
    for data in data {
        let value = match &data.selection {
            Selection::Read { slug: own, .. } => {
                record(state, data.resource, &filled(own, slug)).ok_or(PageFailure::NotFound)?
            }
            Selection::Browse {
                filter,
                order,
                limit,
                page,
            } => {
                let filter = filter.as_deref().map(|filter| filled(filter, slug));
                browse(state, data, filter, order.clone(), *limit, *page)?
            }
        };
        root.set(&data.name, value);
    }
    Ok(root)
}

/// Returns a list of records.
fn browse(
    state: &PageState,
    data: &RouteData,
    filter: Option<String>,
    order: Option<String>,
    limit: Option<Limit>,
    page: usize,
) -> Result<Value, PageFailure> {
    let limit = limit.map(|limit| match limit {
        Limit::All => "all".to_owned(),
        Limit::Number(number) => number.to_string(),
    });
    let include = match data.resource {
        RouteResource::Posts | RouteResource::Pages => Some("authors,tags,tiers".to_owned()),
        RouteResource::Tags | RouteResource::Authors => data.include.clone(),
    };
    let arguments = [
        ("filter", filter),
        ("order", order),
        ("limit", limit),
        ("include", include),
        ("page", Some(page.to_string())),
    ];
    let arguments = arguments
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let request = GetRequest {
        resource: match data.resource {
            RouteResource::Posts => GetResource::Posts,
            RouteResource::Pages => GetResource::Pages,
            RouteResource::Tags => GetResource::Tags,
            RouteResource::Authors => GetResource::Authors,
        },
        arguments: arguments.collect(),
        is_of_route: true,
    };
    let found = model::get(state, &request).map_err(|error| PageFailure::Data(error.message))?;
    Ok(found.records)
}

/// Returns a record by its slug, as readers may see it.
fn record(state: &PageState, resource: RouteResource, slug: &str) -> Option<Value> {
    let catalog = state.catalog();
    match resource {
        RouteResource::Posts | RouteResource::Pages => {
            let post = catalog
                .posts
                .by_slug(slug)
                .filter(|post| post.is_listed())?;
            Some(model::post(state, post, PostView::Public))
        }
        RouteResource::Tags => catalog.tags.by_slug(slug).map(|tag| model::tag(state, tag)),
        RouteResource::Authors => catalog
            .users
            .by_slug(slug)
            .map(|author| model::author(state, author)),
    }
}
