//! Lists as staff see them, with records in any state.

use std::{
    cmp::{Ordering, Reverse},
    sync::Arc,
};

use jiff::Timestamp;

use super::{Page, Query};
use crate::{
    catalog::{
        Catalog,
        filter::Filterable,
        members::{IndexedMember, MemberPosition, MemberSearch},
        post_orders::StaffPosition,
        relation::Relation,
    },
    domain::{
        member::Member,
        post::{Post, PostKind},
    },
};

/// Returns a page of all posts or pages: by stage and date ([`StaffPosition`]), or in the requested
/// order. Without a requested order, if the filter lists several tags or authors, posts with the
/// most tags or authors come first (Ghost 6.65, recorded).
///
/// Without a filter and an order, the page is read directly from an index.
pub fn posts(catalog: &Catalog, kind: PostKind, query: &Query<Post>) -> Page<Post> {
    let staff_listing = catalog.posts.staff_listing(kind);
    if let Some(order) = &query.order {
        // Posts that compare equal are ordered by status and date of the last change (Ghost 6.65,
        // observed).
        let sort_key = |post: &Post| (post.status.name(), post.updated_at, post.id);
        return query.page_ordered(staff_listing.iter(), order, |a, b| {
            let order = order.compare(a, b, |_| 0);
            order.then_with(|| sort_key(a).cmp(&sort_key(b)))
        });
    }
    if let Some(mut named) = named_posts(catalog, kind, query) {
        named.sort_by_key(|post| StaffPosition::of(post));
        return query.page_in_order(named.into_iter(), |post| query.finds(post));
    }
    if query.filter.is_none() {
        return Page {
            records: staff_listing.window(query.first(), query.limit),
            total: staff_listing.len(),
        };
    }
    if query.listed_relations.is_empty() {
        return query.page_in_order(staff_listing.iter(), |post| query.finds(post));
    }
    // The counts of all listed relations are compared in order, authors before tags (see
    // `relation::listed`).
    let fullest_first = |post: &Post| {
        let related = |relation: &Relation| Reverse(post.related(*relation).count());
        let counts: Vec<_> = query.listed_relations.iter().map(related).collect();
        (counts, StaffPosition::of(post))
    };
    query.page_sorted(staff_listing.iter(), |a, b| {
        fullest_first(a).cmp(&fullest_first(b))
    })
}

/// Returns the posts that the filter names by slug or identifier.
fn named_posts<'a>(
    catalog: &'a Catalog,
    kind: PostKind,
    query: &Query<Post>,
) -> Option<Vec<&'a Arc<Post>>> {
    let found: Vec<&Arc<Post>> = match (query.listed("slug"), query.listed("id")) {
        (Some(slugs), _) => {
            let posts = slugs.iter().flat_map(|slug| catalog.posts.with_slug(slug));
            posts.collect()
        }
        (None, Some(ids)) if ids.len() == 1 => {
            let by_id = ids.iter().filter_map(|id| id.parse().ok());
            by_id.filter_map(|id| catalog.posts.get(id)).collect()
        }
        _ => return None,
    };
    let mut named: Vec<&Arc<Post>> = Vec::with_capacity(found.len());
    for post in found.into_iter().filter(|post| post.kind == kind) {
        if !named.iter().any(|known| known.id == post.id) {
            named.push(post);
        }
    }
    Some(named)
}

/// Returns a page of the members that match `search`: newest first, or in the requested order. In
/// the latter, members that compare equal are in the order of their creation.
///
/// Without a filter, a search and an order, only the page is read. Email addresses that the filter
/// lists are looked up in the index. Members are as of `now`, without expired tiers.
pub fn members(
    catalog: &Catalog,
    query: &Query<Member>,
    search: Option<&MemberSearch>,
    now: Timestamp,
) -> Page<Member> {
    let members = &*catalog.members.at(now);
    // A search needs the search texts, which only `indexed` returns.
    let emails = query.listed("email").filter(|_| search.is_none());
    if let Some(emails) = emails {
        let mut named: Vec<&Arc<Member>> = Vec::with_capacity(emails.len());
        let found = emails
            .iter()
            .flat_map(|email| members.with_similar_email(email));
        // Similar addresses are not necessarily equal, and the filter may have further conditions.
        for member in found.filter(|member| query.finds(member)) {
            if !named.iter().any(|known| known.id == member.id) {
                named.push(member);
            }
        }
        return query.page_sorted(named.into_iter(), |a, b| match &query.order {
            Some(order) => order.compare(a, b, |_| 0).then(a.id.cmp(&b.id)),
            None => (b.created_at, b.id).cmp(&(a.created_at, a.id)),
        });
    }
    let order = query.order.as_ref();
    // Newest first is the order of the index, which needs no sorting.
    let order = order.filter(|order| !order.is_newest_first());
    if query.filter.is_none() && search.is_none() && order.is_none() {
        let window = members.listed().skip(query.first()).take(query.limit);
        return Page {
            records: window.cloned().collect(),
            total: members.len(),
        };
    }
    let is_searched = |indexed: &&IndexedMember| search.is_none_or(|search| search.finds(indexed));
    let searched = members.indexed().filter(is_searched);
    match order {
        Some(order) => {
            // The members are in ascending order of identifier, and equal ones remain in this
            // order.
            let members = searched.map(|indexed| &indexed.member);
            query.page_ordered(members, order, |a, b| order.compare(a, b, |_| 0))
        }
        None => {
            let found = searched.filter(|indexed| query.finds(&indexed.member));
            // Sort keys are computed while the members are in the CPU cache, so that sorting does
            // not read them again.
            let found = found.map(|indexed| (MemberPosition::of(&indexed.member), &indexed.member));
            query.page_of(found.collect(), |(a, _), (b, _)| a.cmp(b))
        }
    }
}

/// Returns a page of records of another kind, in the requested order or in `own_order`. Unlike in
/// lists for readers, the order in which a filter lists slugs has no effect (Ghost 6.65, recorded).
pub fn records<'r, R: Filterable>(
    records: impl Iterator<Item = &'r Arc<R>>,
    query: &Query<R>,
    post_count: impl Fn(&R) -> usize,
    own_order: impl Fn(&R, &R) -> Ordering,
) -> Page<R> {
    match &query.order {
        Some(order) => query.page_ordered(records, order, |a, b| order.compare(a, b, &post_count)),
        None => query.page_sorted(records, own_order),
    }
}
