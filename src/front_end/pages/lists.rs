//! Pages of lists of posts: of collections, channels, tags and authors.

use super::{
    contexts::{route_name, with_contexts},
    page_response::PageResponse,
    rendering::{self, PageFailure},
    static_routes, template_names,
};
use crate::{
    catalog::params::Paging,
    domain::routes::{Collection, Controller, Limit, PostList, StaticRoute},
    error::{Error, Kind},
    front_end::{model, state::PageState},
    id::Id,
    templates::PlainObject,
};

/// A page of a list of posts.
struct ListPage {
    filter: Option<String>,
    order: Option<String>,
    /// The index of the collection that the posts must belong to.
    collection: Option<usize>,
    /// The number of the page, from 1.
    page: usize,
    /// Maximum number of posts on the page.
    limit: usize,
    /// The limit of the route, if it defines one.
    route_limit: Option<Limit>,
    /// The context of this list, which follows those of all lists.
    context: String,
    templates: Vec<String>,
}

/// Returns a page of a collection.
pub(super) fn collection(
    state: &PageState,
    (index, collection): (usize, &Collection),
    page: usize,
    slug: Option<&str>,
) -> Result<PageResponse, PageFailure> {
    let name = route_name(&collection.path);
    let list = ListPage {
        collection: Some(index),
        ..of_route(
            state,
            &collection.posts,
            (name, &collection.templates),
            page,
            slug,
        )
    };
    let root = static_routes::records(state, &collection.data, slug)?;
    render(state, &list, root)
}

/// Returns a page of a channel. `slug` is the text matched by a variable in its path.
pub(super) fn channel(
    state: &PageState,
    route: &StaticRoute,
    page: usize,
    slug: Option<&str>,
) -> Result<PageResponse, PageFailure> {
    let Controller::Channel(posts) = &route.controller else {
        return Err(PageFailure::NotFound);
    };
    let name = route_name(&route.path);
    let list = of_route(state, posts, (name, &route.templates), page, slug);
    let root = static_routes::records(state, &route.data, slug)?;
    render(state, &list, root)
}

/// Returns a page of the posts of a tag.
pub(super) fn tag(state: &PageState, id: Id, page: usize) -> Result<PageResponse, PageFailure> {
    let tag = state.catalog().tags.get(id).ok_or(PageFailure::NotFound)?;
    let root = PlainObject::new().with("tag", model::tag(state, tag));
    render(state, &of_taxonomy(state, "tag", &tag.slug, page), root)
}

/// Returns a page of the posts of an author.
pub(super) fn author(state: &PageState, id: Id, page: usize) -> Result<PageResponse, PageFailure> {
    let author = state.catalog().users.get(id).ok_or(PageFailure::NotFound)?;
    let root = PlainObject::new().with("author", model::author(state, author));
    render(
        state,
        &of_taxonomy(state, "author", &author.slug, page),
        root,
    )
}

fn of_taxonomy(state: &PageState, kind: &str, slug: &str, page: usize) -> ListPage {
    ListPage {
        // In quotes, since a slug may be a number or a word such as `null`.
        filter: Some(format!("{kind}:'{slug}'")),
        order: None,
        collection: None,
        page,
        limit: state.theme.posts_per_page(),
        route_limit: None,
        context: kind.to_owned(),
        templates: template_names::of_taxonomy(kind, slug),
    }
}

fn of_route(
    state: &PageState,
    posts: &PostList,
    (name, own_templates): (String, &[String]),
    page: usize,
    slug: Option<&str>,
) -> ListPage {
    let limit = match posts.limit {
        None => state.theme.posts_per_page(),
        Some(Limit::Number(number)) => number,
        Some(Limit::All) => Paging::ALL,
    };
    let filter = posts.filter.as_deref();
    ListPage {
        filter: filter.map(|filter| static_routes::filled(filter, slug)),
        order: posts.order.clone(),
        collection: None,
        page,
        limit,
        route_limit: posts.limit,
        templates: template_names::of_list(&state.path, &name, own_templates),
        context: name,
    }
}

/// Converts the error of a list. An invalid filter or order is the fault of the theme or of the routes.
fn list_failure(error: Error) -> PageFailure {
    match error.kind() {
        Kind::BadRequest | Kind::Validation => PageFailure::Data(error.message().to_owned()),
        _ => error.into(),
    }
}

fn render(
    state: &PageState,
    list: &ListPage,
    root: PlainObject,
) -> Result<PageResponse, PageFailure> {
    let state = &PageState {
        route_limit: list.route_limit,
        // The records of the route are found before, because they are contexts, too.
        ..with_contexts(state, list.page, &list.context, &root)
    };
    let posts = model::PostList {
        filter: list.filter.as_deref(),
        order: list.order.as_deref(),
        collection: list.collection,
    };
    let found = model::posts(state, &posts, list.page, list.limit).map_err(list_failure)?;
    if list.page > found.pagination.pages {
        return Err(PageFailure::NoSuchPage);
    }
    let pagination = model::pagination(&found.pagination);
    let root = root
        .with("posts", found.posts)
        .with("pagination", pagination);
    rendering::render(state, &list.templates, root, None).map(PageResponse::Page)
}
