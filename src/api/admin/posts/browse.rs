//! Lists of posts and of pages, of every status. Reading is not restricted: every role sees the
//! drafts of all users.

use std::sync::Arc;

use http::StatusCode;

use super::PostResource;
use crate::{
    api::{
        admin::{Reply, Request, long_reply::LongReply, view::View},
        json::Object,
        listing::{self, FilterRules, pagination},
        params::{Paging, Selection},
    },
    catalog::{
        browse::{Query, found_posts, staff},
        relation::Relations,
    },
    domain::post::{Post, PostKind},
    error::{Kind, Result},
    search::Searcher,
    site::BodySearch,
};

/// Returns a page of the posts or pages.
pub fn browse(request: &Request, kind: PostKind) -> Result<Reply> {
    let resource = PostResource::of(kind);
    let selection = Selection::for_staff(request.parameters, &resource.defaults);
    let paging = Paging::parse(request.parameters)?;
    let catalog = &request.snapshot.catalog;
    let rules = resource.filter_rules();
    let query = listing::query(catalog, request.now, &paging, &rules)?;
    let query = resource.with_bodies(request, query)?;
    let page = match request.parameters.single("search", Kind::BadRequest)? {
        Some(text) if !text.is_empty() => {
            let index = request.api.search();
            let found = index.search(request.snapshot, text, Some(kind), &Searcher::Staff)?;
            found_posts(&found.posts, &query)
        }
        _ => staff::posts(catalog, resource.kind, &query),
    };
    let posts: Vec<&Post> = page.records.iter().map(AsRef::as_ref).collect();
    let view = View {
        snapshot: request.snapshot,
        site_urls: request.site_urls,
        selection: &selection,
    };
    let mut reply = LongReply::to(request);
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let list = envelope.name(resource.schema.name);
    resource.write(&view, &posts, &[], list, &mut reply)?;
    envelope.field("meta", pagination(&page, &paging));
    envelope.end();
    Ok(Reply::new(StatusCode::OK, reply.finish(bytes)?))
}

impl PostResource {
    /// Returns the query with its conditions on bodies evaluated.
    ///
    /// # Errors
    ///
    /// `BadRequest` if it would search more text than is allowed per request.
    pub fn with_bodies(&self, request: &Request, mut query: Query<Post>) -> Result<Query<Post>> {
        let snapshot = request.snapshot;
        let posts = snapshot.catalog.posts.staff_listing(self.kind).iter();
        // Filter and order share one search, so that both count towards the same limit.
        let mut search = BodySearch::new(snapshot, request.site_urls.url());
        query.filter = match query.filter {
            Some(filter) => Some(search.decide(filter, posts.clone())?),
            None => None,
        };
        let (filter, order) = (&query.filter, &mut query.order);
        if let Some(order) = order {
            let is_found =
                |post: &&Arc<Post>| filter.as_ref().is_none_or(|filter| filter.holds(post));
            search.rank(order, posts.filter(is_found))?;
        }
        Ok(query)
    }

    /// Returns the rules for filters of posts or pages.
    pub fn filter_rules(&self) -> FilterRules<Post> {
        FilterRules {
            relations: Relations::OfPosts,
            ..FilterRules::of_fields(self.schema)
        }
    }
}
