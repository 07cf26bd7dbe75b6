//! The pages of lists of posts: of collections, channels, tags and authors.

use std::rc::Rc;

use super::{
    answer::Answer,
    rendering::{self, PageFailure},
    static_routes, template_names,
};
use crate::{
    domain::routes::{Collection, Controller, Limit, PostList, StaticRoute},
    front_end::{
        model::{self, PostQuery},
        state::PageState,
    },
    id::Id,
    templates::{Record, Value},
};

/// Most posts on a page, whatever routes and themes say.
const POSTS_MAX: usize = 100;

/// Returns a page of a collection.
pub(super) fn collection(
    state: &Rc<PageState>,
    collection: &Collection,
    page: usize,
) -> Result<Answer, PageFailure> {
    let name = route_name(&collection.path);
    let query = PostQuery {
        collection: Some(collection.path.clone()),
        ..query_of(state, &collection.posts, page, None)
    };
    let templates = template_names::of_list(&state.path, &name, &collection.templates);
    let root = static_routes::records(state, &collection.data, None)?;
    render(state, &query, &[name], &templates, root)
}

/// Returns a page of a channel. `slug` is the text that a variable of its path matched.
pub(super) fn channel(
    state: &Rc<PageState>,
    route: &StaticRoute,
    page: usize,
    slug: Option<&str>,
) -> Result<Answer, PageFailure> {
    let Controller::Channel(posts) = &route.controller else {
        return Err(PageFailure::NotFound);
    };
    let name = route_name(&route.path);
    let query = query_of(state, posts, page, slug);
    let templates = template_names::of_list(&state.path, &name, &route.templates);
    let root = static_routes::records(state, &route.data, slug)?;
    render(state, &query, &[name], &templates, root)
}

/// Returns a page of the posts of a tag.
pub(super) fn tag(state: &Rc<PageState>, id: Id, page: usize) -> Result<Answer, PageFailure> {
    let tag = state.snapshot.catalog.tags.get(id).ok_or(PageFailure::NotFound)?;
    let root = Record::new().with("tag", model::tag(state, tag));
    let query = PostQuery { tag: Some(id), ..of_taxonomy(state, page) };
    let templates = template_names::of_taxonomy("tag", &tag.slug);
    render(state, &query, &["tag".to_owned()], &templates, root)
}

/// Returns a page of the posts of an author.
pub(super) fn author(state: &Rc<PageState>, id: Id, page: usize) -> Result<Answer, PageFailure> {
    let author = state.snapshot.catalog.users.get(id).ok_or(PageFailure::NotFound)?;
    let root = Record::new().with("author", model::author(state, author));
    let query = PostQuery { author: Some(id), ..of_taxonomy(state, page) };
    let templates = template_names::of_taxonomy("author", &author.slug);
    render(state, &query, &["author".to_owned()], &templates, root)
}

fn of_taxonomy(state: &PageState, page: usize) -> PostQuery {
    PostQuery {
        limit: state.theme.posts_per_page().min(POSTS_MAX),
        page,
        ..PostQuery::default()
    }
}

fn query_of(state: &PageState, posts: &PostList, page: usize, slug: Option<&str>) -> PostQuery {
    let limit = match posts.limit {
        None => state.theme.posts_per_page(),
        Some(Limit::Number(number)) => number,
        Some(Limit::All) => POSTS_MAX,
    };
    PostQuery {
        filter: posts.filter.as_deref().map(|filter| static_routes::filled(filter, slug)),
        order: posts.order.clone(),
        limit: limit.clamp(1, POSTS_MAX),
        page,
        ..PostQuery::default()
    }
}

/// Returns the name of the route at a path: the path without slashes, `index` at the first page of the site.
pub(super) fn route_name(path: &str) -> String {
    match path.replace('/', "") {
        name if name.is_empty() => "index".to_owned(),
        name => name,
    }
}

fn render(
    state: &Rc<PageState>,
    query: &PostQuery,
    own_contexts: &[String],
    templates: &[String],
    root: Record,
) -> Result<Answer, PageFailure> {
    let state = &with_contexts(state, query.page, own_contexts, &root);
    let posts = model::posts(state, query)?;
    if query.page > posts.pages {
        return Err(PageFailure::NotFound);
    }
    let root = root.with("posts", posts.posts).with("pagination", posts.pagination);
    rendering::render(state, templates, root, true).map(Answer::Page)
}

/// Returns the state with the contexts of a list, in Ghost's order.
pub(super) fn with_contexts(
    state: &Rc<PageState>,
    page: usize,
    own: &[String],
    root: &Record,
) -> Rc<PageState> {
    let mut contexts = Vec::new();
    if page > 1 {
        contexts.push("paged".to_owned());
    }
    if state.path == "/" {
        contexts.push("home".to_owned());
    }
    contexts.extend(own.iter().cloned());
    // Of the records that a route gives to its template, the first of these is a context, too.
    let given = ["page", "post", "tag"].into_iter().find(|name| has(root, name));
    if let Some(given) = given.filter(|given| !contexts.iter().any(|own| own == given)) {
        contexts.push(given.to_owned());
    }
    Rc::new(PageState { contexts, ..PageState::clone(state) })
}

fn has(root: &Record, name: &str) -> bool {
    use crate::templates::Object;
    root.get(name).is_some_and(|value| !matches!(value, Value::Undefined))
}
