//! The index of posts and pages: by identifier, by slug, by the UUID that previews use, and in the
//! default orders for readers (also by tag and by author) and for staff. The most frequent lists
//! are read from an index without a search.

use std::{collections::HashMap, sync::Arc};

use imbl::{OrdMap, OrdSet};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use uuid::Uuid;

use super::{
    post_orders::{BySlug, ByUuid, Listing, StaffListing},
    reference_counts::ReferenceCounts,
    sorted_posts::SortedPosts,
    text_index::TextIndex,
};
use crate::{
    collation,
    domain::{
        file_reference::FileReference,
        post::{Post, PostKind, Status},
    },
    id::Id,
};

/// All posts and pages. Cloning is cheap; a change copies only the path to the changed records.
#[derive(Clone, Default)]
pub struct PostIndex {
    by_id: OrdMap<Id, Arc<Post>>,
    by_slug: SortedPosts<BySlug>,
    slugs: TextIndex,
    by_uuid: SortedPosts<ByUuid>,
    /// The identifiers of posts that readers see, by former URL; for each URL in ascending order.
    by_alias: OrdMap<Box<str>, Box<[Id]>>,
    scheduled: OrdSet<Id>,
    posts: Listings,
    pages: Listings,
    uses_of_tags: ReferenceCounts,
    uses_of_authors: ReferenceCounts,
    /// The files that published or sent posts refer to.
    uses_of_files: ReferenceCounts<FileReference>,
}

/// The lists of one kind: for staff and for readers.
#[derive(Clone, Default)]
struct Listings {
    staff_listing: StaffListing,
    all: Listing,
    by_tag: OrdMap<Id, Listing>,
    by_author: OrdMap<Id, Listing>,
}

impl PostIndex {
    /// Builds the index of all posts and pages of a site, which must be in ascending order of
    /// identifier. Uses all processors.
    pub fn of(all: &[Arc<Post>]) -> Self {
        let of_kind = |kind: PostKind| -> Vec<&Arc<Post>> {
            all.iter().filter(|post| post.kind == kind).collect()
        };
        let scheduled = all
            .iter()
            .filter(|post| post.status == Status::Scheduled)
            .map(|post| post.id);
        let mut index = Self::default();
        // Each task builds a different field of `index`, so the tasks share nothing.
        rayon::scope(|scope| {
            scope.spawn(|_| index.posts = Listings::of(&of_kind(PostKind::Post)));
            scope.spawn(|_| index.pages = Listings::of(&of_kind(PostKind::Page)));
            scope.spawn(|_| index.by_slug = SortedPosts::of(all));
            scope.spawn(|_| {
                index.slugs = all.iter().map(|post| (&*post.slug, post.id)).collect();
            });
            scope.spawn(|_| index.by_uuid = SortedPosts::of(all));
            scope.spawn(|_| {
                for post in all {
                    add_aliases(&mut index.by_alias, post);
                }
            });
            scope.spawn(|_| {
                let by_id = all.iter().map(|post| (post.id, Arc::clone(post)));
                index.by_id = by_id.collect();
            });
            scope.spawn(|_| {
                index.uses_of_tags = ReferenceCounts::of(all.iter().flat_map(|post| &post.tags));
            });
            scope.spawn(|_| {
                index.uses_of_files =
                    ReferenceCounts::of(all.iter().flat_map(|post| public_files(post)));
            });
            scope.spawn(|_| {
                index.scheduled = scheduled.collect();
                index.uses_of_authors =
                    ReferenceCounts::of(all.iter().flat_map(|post| &post.authors));
            });
        });
        index
    }

    /// Returns the post or page with this identifier, listed or not.
    pub fn get(&self, id: Id) -> Option<&Arc<Post>> {
        self.by_id.get(&id)
    }

    /// Returns the post or page with this slug, listed or not.
    pub fn by_slug(&self, slug: &str) -> Option<&Arc<Post>> {
        self.by_slug.get(slug)
    }

    /// Returns the posts and pages with this slug, ignoring case, listed or not.
    pub fn with_slug<'c>(&'c self, slug: &str) -> impl Iterator<Item = &'c Arc<Post>> {
        let posts = self.slugs.candidates(slug).filter_map(|id| self.get(id));
        posts.filter(move |post| collation::is_equal(&post.slug, slug))
    }

    /// Returns the post or page that readers are redirected to from the former URL path `path`, in
    /// the form of [`normal_path`](crate::domain::former_path::normal_path); `None` if it is the
    /// current path of a listed post, which takes precedence.
    pub fn by_alias(&self, path: &str) -> Option<&Arc<Post>> {
        let id = self.by_alias.get(path)?.first()?;
        let current = self.by_slug(path.strip_prefix('/')?);
        if current.is_some_and(|post| post.is_listed()) {
            None
        } else {
            self.get(*id)
        }
    }

    /// Returns the post or page with this UUID, listed or not.
    pub fn by_uuid(&self, uuid: Uuid) -> Option<&Arc<Post>> {
        self.by_uuid.get(&uuid)
    }

    /// Returns all posts and pages, by ascending identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.by_id.values()
    }

    /// Returns the posts and pages from this identifier on, by ascending identifier.
    pub fn from(&self, id: Id) -> impl Iterator<Item = &Arc<Post>> {
        self.by_id.range(id..).map(|(_, post)| post)
    }

    /// Returns the scheduled posts and pages.
    pub fn scheduled(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.scheduled.iter().filter_map(|id| self.by_id.get(id))
    }

    /// Returns all posts of `kind`, listed or not, in the order for staff.
    pub fn staff_listing(&self, kind: PostKind) -> &StaffListing {
        &self.listings(kind).staff_listing
    }

    /// Returns the number of posts and pages with this tag, listed or not.
    pub fn uses_of_tag(&self, tag: Id) -> usize {
        self.uses_of_tags.to(tag)
    }

    /// Returns the number of posts and pages by this author, listed or not.
    pub fn uses_of_author(&self, author: Id) -> usize {
        self.uses_of_authors.to(author)
    }

    /// Returns whether a published or sent post or page refers to this file.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.uses_of_files.to(file) > 0
    }

    /// Returns the listed posts of `kind`, in their default order.
    pub fn listed(&self, kind: PostKind) -> &Listing {
        &self.listings(kind).all
    }

    /// Returns the listed posts of `kind` with this tag, in their default order.
    pub fn with_tag(&self, kind: PostKind, tag: Id) -> Option<&Listing> {
        self.listings(kind).by_tag.get(&tag)
    }

    /// Returns the listed posts of `kind` by this author, in their default order.
    pub fn by_author(&self, kind: PostKind, author: Id) -> Option<&Listing> {
        self.listings(kind).by_author.get(&author)
    }

    /// Adds a post or replaces the one with the same identifier.
    pub fn put(&mut self, mut post: Post) {
        // The index entries of the old post can only be found by its old values, so they are
        // removed first.
        self.remove(post.id);
        // Spare capacity would be held for as long as the site is open.
        post.shrink();
        let post = Arc::new(post);
        self.by_slug.put(&post);
        self.slugs.insert(&post.slug, post.id);
        self.by_uuid.put(&post);
        add_aliases(&mut self.by_alias, &post);
        self.by_id.insert(post.id, Arc::clone(&post));
        self.uses_of_tags.add(&post.tags);
        self.uses_of_authors.add(&post.authors);
        self.uses_of_files.add(public_files(&post));
        if post.status == Status::Scheduled {
            self.scheduled.insert(post.id);
        }
        self.listings_mut(post.kind).put(&post);
    }

    /// Removes a post.
    pub fn remove(&mut self, id: Id) -> Option<Arc<Post>> {
        let old = self.by_id.remove(&id)?;
        self.by_slug.remove(&old);
        self.slugs.remove(&old.slug, old.id);
        // Two posts may share a UUID. The other post is found again when it is next put.
        if self.by_uuid(old.uuid).is_some_and(|post| post.id == id) {
            self.by_uuid.remove(&old);
        }
        remove_aliases(&mut self.by_alias, &old);
        self.scheduled.remove(&id);
        self.uses_of_tags.take(&old.tags);
        self.uses_of_authors.take(&old.authors);
        self.uses_of_files.take(public_files(&old));
        self.listings_mut(old.kind).remove(&old);
        Some(old)
    }

    fn listings(&self, kind: PostKind) -> &Listings {
        match kind {
            PostKind::Post => &self.posts,
            PostKind::Page => &self.pages,
        }
    }

    fn listings_mut(&mut self, kind: PostKind) -> &mut Listings {
        match kind {
            PostKind::Post => &mut self.posts,
            PostKind::Page => &mut self.pages,
        }
    }
}

fn add_aliases(by_alias: &mut OrdMap<Box<str>, Box<[Id]>>, post: &Post) {
    for alias in public_aliases(post) {
        let ids = by_alias.entry(alias.clone()).or_default();
        // In ascending order, so that the post for a former URL does not depend on the order in
        // which posts were changed.
        if let Err(index) = ids.binary_search(&post.id) {
            let mut more = ids.to_vec();
            more.insert(index, post.id);
            *ids = more.into();
        }
    }
}

fn remove_aliases(by_alias: &mut OrdMap<Box<str>, Box<[Id]>>, post: &Post) {
    for alias in public_aliases(post) {
        let Some(ids) = by_alias.get_mut(alias) else {
            continue;
        };
        *ids = ids.iter().copied().filter(|id| *id != post.id).collect();
        if ids.is_empty() {
            // An empty entry would only take up memory.
            by_alias.remove(alias);
        }
    }
}

/// Returns the former URLs that redirect readers to `post`.
fn public_aliases(post: &Post) -> &[Box<str>] {
    if post.is_listed() { &post.aliases } else { &[] }
}

/// Returns the files that a published `post` refers to.
fn public_files(post: &Post) -> &[FileReference] {
    if post.is_out() { &post.files } else { &[] }
}

impl Listings {
    fn of(posts: &[&Arc<Post>]) -> Self {
        let all_in_order = || {
            let listed = posts.iter().filter(|post| post.is_listed());
            let all = Listing::of(listed.copied());
            let by_tag = grouped(&all, |post| &post.tags);
            let by_author = grouped(&all, |post| &post.authors);
            (all, by_tag, by_author)
        };
        let (staff_listing, (all, by_tag, by_author)) =
            rayon::join(|| StaffListing::of(posts.iter().copied()), all_in_order);
        Self {
            staff_listing,
            all,
            by_tag,
            by_author,
        }
    }

    fn put(&mut self, post: &Arc<Post>) {
        self.staff_listing.put(post);
        if !post.is_listed() {
            return;
        }
        self.all.put(post);
        for tag in &post.tags {
            self.by_tag.entry(*tag).or_default().put(post);
        }
        for author in &post.authors {
            self.by_author.entry(*author).or_default().put(post);
        }
    }

    fn remove(&mut self, post: &Arc<Post>) {
        self.staff_listing.remove(post);
        if !post.is_listed() {
            return;
        }
        self.all.remove(post);
        for tag in &post.tags {
            remove_from(&mut self.by_tag, *tag, post);
        }
        for author in &post.authors {
            remove_from(&mut self.by_author, *author, post);
        }
    }
}

/// Returns a listing in the default order for each record to which posts are related.
fn grouped(listed: &Listing, related: fn(&Post) -> &[Id]) -> OrdMap<Id, Listing> {
    let mut groups: HashMap<Id, Vec<&Arc<Post>>> = HashMap::new();
    for post in listed.iter() {
        for id in related(post) {
            groups.entry(*id).or_default().push(post);
        }
    }
    let listings: Vec<(Id, Listing)> = groups
        .into_par_iter()
        .map(|(id, mut posts)| {
            // A post with a repeated tag or author is listed once.
            posts.dedup_by_key(|post| post.id);
            (id, Listing::in_order(posts))
        })
        .collect();
    listings.into_iter().collect()
}

fn remove_from(listings: &mut OrdMap<Id, Listing>, key: Id, post: &Arc<Post>) {
    if let Some(listing) = listings.get_mut(&key) {
        listing.remove(post);
        if listing.is_empty() {
            listings.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const TAGS: [&str; 3] = ["harbour", "kitchen", "essays"];

    fn tag(number: usize) -> Id {
        Id::derive("tag", TAGS[number % TAGS.len()])
    }

    fn author() -> Id {
        Id::derive("user", "imke")
    }

    /// Returns published, draft and scheduled posts and pages, some with the same time.
    fn site() -> Vec<Arc<Post>> {
        let post = |number: usize| {
            let slug = format!("post-{number}");
            let kind = match number % 5 {
                0 => PostKind::Page,
                _ => PostKind::Post,
            };
            let date = Timestamp::from_second((number * 37 % 50) as i64).unwrap();
            Arc::new(Post {
                slug: slug.as_str().into(),
                title: format!("Title {}", number * 31 % 100).into(),
                status: [Status::Published, Status::Draft, Status::Scheduled][number % 7 % 3],
                published_at: Some(date),
                aliases: [format!("/old/{}", number % 50).into(), "/first".into()].into(),
                tags: vec![tag(number), tag(number / 2)],
                authors: vec![author()],
                ..Post::draft(
                    Id::derive("post", &slug),
                    Post::derived_uuid(kind, &slug),
                    kind,
                    date,
                )
            })
        };
        let mut posts: Vec<Arc<Post>> = (0..300).map(post).collect();
        posts.sort_by_key(|post| post.id);
        posts
    }

    /// Returns the content of all lists of an index, by identifiers.
    fn contents(index: &PostIndex) -> Vec<Vec<Id>> {
        let mut contents = vec![index.iter().map(|post| post.id).collect()];
        contents.push(index.scheduled().map(|post| post.id).collect());
        let aliases = (0..50).map(|number| format!("/old/{number}"));
        let aliases = aliases.chain(["/first".to_owned()]);
        let of_alias = aliases.filter_map(|alias| Some(index.by_alias(&alias)?.id));
        contents.push(of_alias.collect());
        for kind in [PostKind::Post, PostKind::Page] {
            contents.push(
                index
                    .staff_listing(kind)
                    .iter()
                    .map(|post| post.id)
                    .collect(),
            );
            contents.push(index.listed(kind).iter().map(|post| post.id).collect());
            let of_tags = (0..TAGS.len()).filter_map(|number| index.with_tag(kind, tag(number)));
            let listings = of_tags.chain(index.by_author(kind, author()));
            contents.extend(listings.map(|listing| listing.iter().map(|post| post.id).collect()));
        }
        contents
    }

    #[test]
    fn building_an_index_at_once_equals_adding_posts_one_by_one() {
        let site = site();
        let mut one_by_one = PostIndex::default();
        for post in &site {
            one_by_one.put(Post::clone(post));
        }

        let at_once = PostIndex::of(&site);

        assert_eq!(contents(&at_once), contents(&one_by_one));
        for post in &site {
            assert_eq!(at_once.by_slug(&post.slug), Some(post));
            assert_eq!(at_once.by_uuid(post.uuid), Some(post));
        }
        for number in 0..TAGS.len() {
            let uses = one_by_one.uses_of_tag(tag(number));
            assert_eq!(at_once.uses_of_tag(tag(number)), uses);
        }
        assert_eq!(at_once.uses_of_author(author()), site.len());
    }

    #[test]
    fn removed_post_is_in_no_list() {
        let site = site();
        let mut index = PostIndex::of(&site);
        for post in &site {
            assert_eq!(index.remove(post.id).as_ref(), Some(post));
            assert!(!contents(&index).concat().contains(&post.id));
        }
        assert!(index.by_slug(&site[0].slug).is_none());
        assert_eq!(index.uses_of_author(author()), 0);
    }

    #[test]
    fn a_window_is_the_same_from_either_end() {
        let index = PostIndex::of(&site());
        let staff_listing = index.staff_listing(PostKind::Post);
        let all: Vec<Arc<Post>> = staff_listing.iter().cloned().collect();
        for first in 0..all.len() + 3 {
            let expected: Vec<_> = all.iter().skip(first).take(7).cloned().collect();
            assert_eq!(staff_listing.window(first, 7), expected, "from {first}");
        }
    }
}
