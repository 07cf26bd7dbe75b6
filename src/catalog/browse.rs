//! Lists of records as readers see them: filtered, ordered and paginated. [`staff`] contains the
//! lists that staff see.
//!
//! The page and the total are read from one catalog, so they are consistent. A list of posts is
//! read from the narrowest index that its filter allows: the posts with the slugs or identifiers
//! that the filter names, the posts of a tag or an author, or all posts in their default order.

pub mod staff;

use std::{cmp::Ordering, sync::Arc};

use super::{
    Catalog,
    filter::{Filter, Filterable},
    order::Order,
    post_orders::Listing,
    relation::Relation,
};
use crate::{
    collation,
    domain::{
        action::Action,
        label::Label,
        member::{Member, TierGrant},
        member_event::MemberEvent,
        newsletter::Newsletter,
        offer::Offer,
        post::{Post, PostKind},
        post_email::PostEmail,
        recommendation::Recommendation,
        record::Slugged,
        tag::Tag,
        tier::Tier,
        user::User,
    },
    id::Id,
};

/// Maximum number of records per page (specification, section 8).
pub const PAGE_RECORDS_MAX: usize = 100;

/// Default number of records per page (specification, section 8).
pub const PAGE_RECORDS_DEFAULT: usize = 15;

/// The parameters of a list.
pub struct Query<R: 'static> {
    /// The filter; `None` to list all records.
    pub filter: Option<Filter<R>>,
    /// The order; `None` for the default order of the resource.
    pub order: Option<Order<R>>,
    /// The relations for which the filter lists several related records. Without a requested order,
    /// records with the most related records come first in lists for staff.
    pub listed_relations: Vec<Relation>,
    /// The page, from 1.
    pub page: usize,
    /// The number of records per page, from 1.
    pub limit: usize,
}

/// One page of a list.
pub struct Page<R> {
    /// The records on the page.
    pub records: Vec<Arc<R>>,
    /// The number of records on all pages.
    pub total: usize,
}

impl Filterable for Post {
    fn related(&self, relation: Relation) -> impl Iterator<Item = Id> {
        let ids: &[Id] = match relation {
            Relation::Tags => &self.tags,
            Relation::Authors => &self.authors,
            _ => &[],
        };
        ids.iter().copied()
    }
}

impl Filterable for Member {
    fn related(&self, relation: Relation) -> impl Iterator<Item = Id> {
        let ids: &[Id] = match relation {
            Relation::Labels => &self.labels,
            Relation::Newsletters => &self.newsletters,
            _ => &[],
        };
        let tiers: &[TierGrant] = match relation {
            Relation::Tiers => &self.tiers,
            _ => &[],
        };
        ids.iter()
            .copied()
            .chain(tiers.iter().map(|grant| grant.tier))
    }
}

impl Filterable for Action {}
impl Filterable for PostEmail {}
impl Filterable for Label {}
impl Filterable for Tag {}
impl Filterable for Recommendation {}
impl Filterable for Offer {}
impl Filterable for User {}
impl Filterable for Tier {}
impl Filterable for Newsletter {}
impl Filterable for MemberEvent {}

impl<R: Filterable> Query<R> {
    fn finds(&self, record: &R) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|filter| filter.holds(record))
    }

    fn first(&self) -> usize {
        (self.page - 1).saturating_mul(self.limit)
    }

    /// Returns the conditions that must all hold.
    fn conjuncts(&self) -> &[Filter<R>] {
        self.filter.as_ref().map_or(&[], Filter::conjuncts)
    }

    /// Returns the values of `field` that the filter lists, in the order of that list.
    fn listed(&self, field: &str) -> Option<Vec<&str>> {
        let mut conjuncts = self.conjuncts().iter();
        conjuncts.find_map(|filter| filter.equal_texts(field))
    }

    /// Returns the page of the matching `candidates`, which are already in the requested order.
    fn page_in_order<'a>(
        &self,
        candidates: impl Iterator<Item = &'a Arc<R>>,
        finds: impl Fn(&R) -> bool,
    ) -> Page<R> {
        let window = self.first()..self.first().saturating_add(self.limit);
        let mut page = Page {
            records: Vec::new(),
            total: 0,
        };
        // The loop continues after the end of the page, because the total counts all matches.
        for record in candidates.filter(|record| finds(record)) {
            if window.contains(&page.total) {
                page.records.push(Arc::clone(record));
            }
            page.total += 1;
        }
        page
    }

    /// Returns the page of `found`, which are records with their sort keys. Records on other pages
    /// are not sorted.
    fn page_of<K>(
        &self,
        mut found: Vec<(K, &Arc<R>)>,
        compare: impl Fn(&(K, &Arc<R>), &(K, &Arc<R>)) -> Ordering,
    ) -> Page<R> {
        let total = found.len();
        let first = self.first().min(total);
        let end = first.saturating_add(self.limit).min(total);
        if end < total {
            // Selecting the page first is cheaper than sorting all records.
            found.select_nth_unstable_by(end, &compare);
        }
        // Everything before `end` belongs to this page or an earlier one. Separating those at
        // `first` leaves only the records of the page to sort.
        let upto_end = &mut found[..end];
        if first > 0 && first < end {
            upto_end.select_nth_unstable_by(first, &compare);
        }
        let window = &mut upto_end[first..];
        window.sort_unstable_by(&compare);
        Page {
            records: window
                .iter()
                .map(|(_, record)| Arc::clone(record))
                .collect(),
            total,
        }
    }

    /// Returns the page of `candidates` in the requested `order`. `compare` compares by that order
    /// first; equal records remain in the order of `candidates`.
    fn page_ordered<'a>(
        &self,
        candidates: impl Iterator<Item = &'a Arc<R>>,
        order: &Order<R>,
        compare: impl Fn(&R, &R) -> Ordering,
    ) -> Page<R> {
        let found = candidates.filter(|record| self.finds(record)).enumerate();
        // Most pairs differ in the prefix, which is compared without reading the records again.
        let keyed = found.map(|(index, record)| ((order.sort_prefix(record), index), record));
        // The index makes all keys different, so that the unstable selection and sort of `page_of`
        // leave equal records in the order of `candidates`.
        self.page_of(
            keyed.collect(),
            |((a_prefix, a_index), a), ((b_prefix, b_index), b)| {
                a_prefix
                    .cmp(b_prefix)
                    .then_with(|| compare(a, b))
                    .then(a_index.cmp(b_index))
            },
        )
    }

    /// Returns the page of `candidates` sorted by `compare`; equal records remain in the order of
    /// `candidates`.
    fn page_sorted<'a>(
        &self,
        candidates: impl Iterator<Item = &'a Arc<R>>,
        compare: impl Fn(&R, &R) -> Ordering,
    ) -> Page<R> {
        let mut found: Vec<&Arc<R>> = candidates.filter(|record| self.finds(record)).collect();
        found.sort_by(|a, b| compare(a, b));
        Page {
            total: found.len(),
            records: found
                .into_iter()
                .skip(self.first())
                .take(self.limit)
                .cloned()
                .collect(),
        }
    }
}

/// A query for posts or pages that readers see, with the candidate posts, which are selected once.
pub struct PostSearch<'a, 'q> {
    query: &'q Query<Post>,
    candidates: Candidates<'a, 'q>,
}

impl<'a, 'q> PostSearch<'a, 'q> {
    /// Selects the candidate posts for `query`.
    pub fn new(catalog: &'a Catalog, kind: PostKind, query: &'q Query<Post>) -> Self {
        Self {
            query,
            candidates: Candidates::of(catalog, kind, query),
        }
    }

    /// Returns the number of posts that are examined to find the page.
    pub fn examined(&self) -> usize {
        match &self.candidates {
            Candidates::Named(posts) => posts.len(),
            Candidates::Exactly(listing) if self.query.order.is_none() => {
                // The posts before the page are stepped over; those after it are not read.
                let page_end = self.query.first().saturating_add(self.query.limit);
                page_end.min(listing.len())
            }
            Candidates::Exactly(listing) | Candidates::Among(listing, _) => listing.len(),
            Candidates::None => 0,
        }
    }

    /// Returns the requested page.
    pub fn page(self) -> Page<Post> {
        let query = self.query;
        match (&query.order, self.candidates) {
            (Some(order), candidates) => {
                let mut candidates = candidates.collect();
                // Posts that compare equal are ordered by identifier, regardless of the index, so
                // that pages do not overlap.
                candidates.sort_by_key(|post| post.id);
                let compare = |a: &Post, b: &Post| order.compare(a, b, |_| 0);
                query.page_ordered(candidates.into_iter(), order, compare)
            }
            // The whole filter is tested again: the slugs or the identifier are only one of its
            // conditions.
            (None, Candidates::Named(posts)) => {
                query.page_in_order(posts.into_iter(), |post| query.finds(post))
            }
            (None, Candidates::Exactly(listing)) => Page {
                records: listing.window(query.first(), query.limit),
                total: listing.len(),
            },
            // The condition that selected the index holds for all its posts, so only the others are
            // tested. Testing it again took a third of the time of the scan.
            (None, Candidates::Among(listing, remaining)) => query
                .page_in_order(listing.iter(), |post| {
                    remaining.iter().all(|filter| filter.holds(post))
                }),
            (None, Candidates::None) => query.page_in_order(std::iter::empty(), |_| false),
        }
    }
}

/// Returns the page of the results of a full-text search that also match `query`, in the order of
/// `found` (best first) or in the requested order.
pub fn found_posts(found: &[Arc<Post>], query: &Query<Post>) -> Page<Post> {
    match &query.order {
        Some(order) => query.page_ordered(found.iter(), order, |a, b| order.compare(a, b, |_| 0)),
        None => query.page_in_order(found.iter(), |post| query.finds(post)),
    }
}

/// The candidate posts for a query.
enum Candidates<'a, 'q> {
    /// Posts named by slug or identifier, in the order in which the filter names them.
    Named(Vec<&'a Arc<Post>>),
    /// All posts of this index, without further conditions.
    Exactly(&'a Listing),
    /// Posts of this index that fulfil the conditions not covered by the index.
    Among(&'a Listing, Vec<&'q Filter<Post>>),
    /// No posts.
    None,
}

impl<'a, 'q> Candidates<'a, 'q> {
    fn of(catalog: &'a Catalog, kind: PostKind, query: &'q Query<Post>) -> Self {
        if query.filter.is_none() {
            return Self::Exactly(catalog.posts.listed(kind));
        }
        // Before identifiers and relations: readers get posts in the order in which a filter lists
        // their slugs, which no other index has.
        if let Some(slugs) = query.listed("slug") {
            let posts = slugs.iter().flat_map(|slug| catalog.posts.with_slug(slug));
            return Self::named(kind, posts);
        }
        // Posts listed by identifier are in the default order, unlike posts listed by slug.
        // Therefore only a single identifier is looked up.
        if let Some([id]) = query.listed("id").as_deref() {
            let post = id.parse().ok().and_then(|id| catalog.posts.get(id));
            return Self::named(kind, post.into_iter());
        }
        Self::by_relation(catalog, kind, query)
    }

    fn named(kind: PostKind, posts: impl Iterator<Item = &'a Arc<Post>>) -> Self {
        let mut named: Vec<&Arc<Post>> = Vec::new();
        for post in posts.filter(|post| post.kind == kind && post.is_listed()) {
            // The filter may list a slug twice or in two spellings.
            if !named.iter().any(|known| known.id == post.id) {
                named.push(post);
            }
        }
        Self::Named(named)
    }

    /// Selects the smallest index of a tag or an author that the posts must have.
    fn by_relation(catalog: &'a Catalog, kind: PostKind, query: &'q Query<Post>) -> Self {
        let conjuncts = query.conjuncts();
        let mut smallest: Option<(usize, &Listing)> = None;
        for (index, filter) in conjuncts.iter().enumerate() {
            let Some((relation, id)) = filter.required_relation() else {
                continue;
            };
            let listing = match relation {
                Relation::Tags => catalog.posts.with_tag(kind, id),
                Relation::Authors => catalog.posts.by_author(kind, id),
                _ => continue,
            };
            match (listing, smallest) {
                // No listed post has this tag or author.
                (None, _) => return Self::None,
                (Some(listing), Some((_, smaller))) if smaller.len() <= listing.len() => {}
                (Some(listing), _) => smallest = Some((index, listing)),
            }
        }
        let Some((covered, listing)) = smallest else {
            // Without a tag or an author, all posts are examined, in their default order.
            return Self::Among(catalog.posts.listed(kind), conjuncts.iter().collect());
        };
        let mut remaining: Vec<&Filter<Post>> = conjuncts.iter().collect();
        remaining.remove(covered);
        if remaining.is_empty() {
            Self::Exactly(listing)
        } else {
            Self::Among(listing, remaining)
        }
    }

    fn collect(self) -> Vec<&'a Arc<Post>> {
        match self {
            Self::Named(posts) => posts,
            Self::Exactly(listing) | Self::Among(listing, _) => listing.iter().collect(),
            Self::None => Vec::new(),
        }
    }
}

/// Returns a page of the tags that have posts visible to readers, by name unless another order is
/// requested.
pub fn tags(catalog: &Catalog, query: &Query<Tag>) -> Page<Tag> {
    let posts = |tag: &Tag| catalog.tag_post_count(tag.id);
    let visible = catalog.tags.iter().filter(|tag| posts(tag) > 0);
    page_of_slugged(query, visible, posts, |a, b| {
        collation::compare(&a.name, &b.name)
    })
}

/// Returns a page of the authors who have posts visible to readers, by name unless another order is
/// requested.
pub fn authors(catalog: &Catalog, query: &Query<User>) -> Page<User> {
    let posts = |user: &User| catalog.author_post_count(user.id);
    let visible = catalog.users.iter().filter(|user| posts(user) > 0);
    page_of_slugged(query, visible, posts, |a, b| {
        collation::compare(&a.name, &b.name)
    })
}

/// Returns a page of records with slugs: in the requested order, in the order of the slugs that the
/// filter lists, or in the default order of the resource.
fn page_of_slugged<'a, R: Filterable + Slugged>(
    query: &Query<R>,
    visible: impl Iterator<Item = &'a Arc<R>>,
    post_count: impl Fn(&R) -> usize,
    own_order: impl Fn(&R, &R) -> Ordering,
) -> Page<R> {
    match (&query.order, query.listed("slug")) {
        (Some(order), _) => {
            query.page_ordered(visible, order, |a, b| order.compare(a, b, &post_count))
        }
        (None, Some(slugs)) => {
            // Records without a listed slug do not match the filter, so every sorted record has an
            // index.
            let is_slug = |record: &R, slug: &str| collation::is_equal(slug, record.slug());
            let index = |record: &R| slugs.iter().position(|slug| is_slug(record, slug));
            query.page_sorted(visible, |a, b| index(a).cmp(&index(b)))
        }
        (None, None) => query.page_sorted(visible, own_order),
    }
}

/// Returns a page of the public tiers, cheapest first (specification 4.1) unless another order is
/// requested.
pub fn tiers(catalog: &Catalog, query: &Query<Tier>) -> Page<Tier> {
    let visible = catalog
        .tiers
        .iter()
        .filter(|tier| tier.active && tier.public);
    // The free tier has no price, which sorts before all prices.
    let price = |tier: &Tier| tier.price.as_ref().map(|price| price.monthly);
    query.page_sorted(visible, |a, b| match &query.order {
        Some(order) => order.compare(a, b, |_| 0),
        None => (price(a), &a.slug).cmp(&(price(b), &b.slug)),
    })
}

/// Returns a page of the active newsletters, in their configured order unless another order is
/// requested.
pub fn newsletters(catalog: &Catalog, query: &Query<Newsletter>) -> Page<Newsletter> {
    let visible = catalog
        .newsletters
        .iter()
        .filter(|newsletter| newsletter.active);
    query.page_sorted(visible, |a, b| match &query.order {
        Some(order) => order.compare(a, b, |_| 0),
        None => (a.sort_order, a.created_at, a.id).cmp(&(b.sort_order, b.created_at, b.id)),
    })
}

/// Returns a page of the recommendations, newest first unless another order is requested.
pub fn recommendations(catalog: &Catalog, query: &Query<Recommendation>) -> Page<Recommendation> {
    query.page_sorted(catalog.recommendations.iter(), |a, b| match &query.order {
        Some(order) => order.compare(a, b, |_| 0),
        None => (b.created_at, b.id).cmp(&(a.created_at, a.id)),
    })
}
