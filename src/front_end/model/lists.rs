//! The main records of pages: a post, a tag, an author, or a page of a list of posts.

use std::{rc::Rc, sync::Arc};

use super::{
    context::ModelContext,
    filters,
    parts::{PostParts, schema},
    post::{PostObject, PostView},
    records::{RecordParts, RecordView},
};
use crate::{
    catalog::{
        browse::PostSearch,
        listing::{self, FilterRules, Pagination},
        params::{Paging, Selection},
        relation::Relations,
    },
    domain::{
        post::{Post, PostKind},
        tag::Tag,
        user::User,
    },
    error::Result,
    front_end::state::PageState,
    nql::GroupUse,
    templates::{PlainObject, Value},
};

/// A list of posts, by filter and order.
#[derive(Clone, Copy, Debug, Default)]
pub struct PostList<'l> {
    /// The filter; `None` for all posts.
    pub filter: Option<&'l str>,
    /// The order; `None` for newest first.
    pub order: Option<&'l str>,
    /// The index of the collection that the posts must belong to. Posts of other collections are removed from a page without
    /// replacement (Ghost 6.65, recorded).
    pub collection: Option<usize>,
}

/// A page of a list of posts.
pub struct PostPage {
    /// The posts.
    pub records: Vec<Arc<Post>>,
    /// The posts as values for templates.
    pub posts: Value,
    /// The position of the page in the list.
    pub pagination: Pagination,
}

/// Returns a page of a list of posts, with at most `limit` posts. Pages are counted from 1.
///
/// # Errors
///
/// `BadRequest` or `Validation` if the filter is invalid.
pub fn posts(state: &PageState, list: &PostList, page: usize, limit: usize) -> Result<PostPage> {
    let paging = Paging {
        filter: match list.filter {
            Some(filter) => filters::read(filter, GroupUse::ExtendedQuery)?,
            None => None,
        },
        order: list.order.map(str::to_owned),
        page,
        limit,
    };
    let mut found = found_posts(&state.model, PostKind::Post, &paging)?;
    if let Some(collection) = list.collection {
        let routes = state.model.site_urls.routes();
        let is_in = |post: &Arc<Post>| routes.collection_of(post) == Some(collection);
        // After the query, as in Ghost: a page may have fewer posts than its limit.
        found.records.retain(is_in);
    }
    let parts = Rc::new(PostParts::whole(PostKind::Post));
    Ok(PostPage {
        posts: post_values(&state.model, &found.records, &parts),
        records: found.records,
        pagination: found.pagination,
    })
}

/// The posts of a page of a list.
pub(super) struct FoundPosts {
    pub records: Vec<Arc<Post>>,
    pub pagination: Pagination,
}

/// Returns the posts or pages that match a query.
pub(super) fn found_posts(
    context: &ModelContext,
    kind: PostKind,
    paging: &Paging,
) -> Result<FoundPosts> {
    let rules = FilterRules {
        schema: schema(kind),
        relations: Relations::OfPosts,
        with_post_count: false,
    };
    let now = context.now_for(paging.filter.as_deref());
    let query = listing::query(context.catalog(), now, paging, &rules)?;
    let found = PostSearch::new(context.catalog(), kind, &query).page();
    Ok(FoundPosts {
        records: found.records,
        pagination: Pagination::new(paging.page, paging.limit, found.total),
    })
}

/// Returns posts as a list of values.
pub(super) fn post_values(
    context: &Rc<ModelContext>,
    posts: &[Arc<Post>],
    parts: &Rc<PostParts>,
) -> Value {
    let value = |post| Value::object(PostObject::new(context, post, parts, &PostView::Public));
    posts.iter().map(value).collect::<Vec<_>>().into()
}

/// Returns a post or page as shown on its own page.
pub fn post(state: &PageState, post: &Arc<Post>, view: PostView) -> Value {
    let parts = match &view {
        PostView::Public => PostParts::whole(post.kind),
        PostView::Preview { .. } => PostParts::of_secret_url(post.kind, true),
        PostView::Mailed => PostParts::of_secret_url(post.kind, false),
    };
    Value::object(PostObject::new(&state.model, post, &Rc::new(parts), &view))
}

/// Returns a tag as shown on its own page.
pub fn tag(state: &PageState, tag: &Arc<Tag>) -> Value {
    let parts = Rc::new(RecordParts::selected(&Selection::default(), None));
    RecordView::value(&state.model, tag, &parts)
}

/// Returns an author as shown on their own page.
pub fn author(state: &PageState, author: &Arc<User>) -> Value {
    let parts = Rc::new(RecordParts::selected(&Selection::default(), None));
    RecordView::value(&state.model, author, &parts)
}

/// The limit of an unlimited list in templates.
pub(super) const ALL: &str = "all";

/// Returns `pagination`.
pub fn pagination(pagination: &Pagination) -> Value {
    let limit: Value = match pagination.limit {
        Paging::ALL => ALL.into(),
        limit => limit.into(),
    };
    PlainObject::new()
        .with("page", pagination.page)
        .with("limit", limit)
        .with("pages", pagination.pages)
        .with("total", pagination.total)
        .with("next", pagination.next)
        .with("prev", pagination.prev)
        .into()
}

/// Returns `pagination` of `{{#get}}`. A page past the end has `next` and `prev`, unless the list has only one page (Ghost 6.65,
/// recorded).
pub(super) fn pagination_past_end(found: &Pagination) -> Value {
    let is_past_end = found.pages > 1 && found.page > found.pages;
    pagination(&Pagination {
        next: found.next.or(is_past_end.then_some(found.page + 1)),
        prev: found.prev.or(is_past_end.then_some(found.page - 1)),
        ..*found
    })
}

/// Returns `pagination` of tiers, which all fit on one page.
pub(super) fn pagination_of_tiers(count: usize) -> Value {
    PlainObject::new()
        .with("page", 1_usize)
        .with("pages", 1_usize)
        .with("limit", count)
        .with("total", count)
        .with("prev", Value::Null)
        .with("next", Value::Null)
        .into()
}

/// Returns `@page` for a post or page.
pub fn page_settings(post: &Post) -> Value {
    let shows_title = post.kind == PostKind::Post || post.show_title_and_feature_image;
    PlainObject::new()
        .with("show_title_and_feature_image", shows_title)
        .into()
}
