//! The index of posts and pages: by identifier, by slug, by the second identifier that previews use, and in their default
//! orders: what readers see, also tag by tag and author by author, and all that there is, as staff see it. So the lists
//! that are asked for most are read off and not searched for.

use std::{cmp::Reverse, sync::Arc};

use imbl::{OrdMap, OrdSet};
use uuid::Uuid;

use super::uses::Uses;
use crate::{
    domain::post::{Post, PostKind, Status},
    id::Id,
};

/// Where a listed post stands among the others of its kind: posts by date, newest first, then by identifier; pages by
/// title (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Seconds and identifier, both falling.
    Dated(Reverse<i64>, Reverse<Id>),
    /// Title and identifier, both rising; boxed, because the many posts of a site pay for the larger of the two.
    Titled(Box<(Box<str>, Id)>),
}

/// Listed posts in their default order.
pub type Listing = OrdMap<Place, Arc<Post>>;

/// Where a post or page stands among all of its kind, as staff see them: what is scheduled, then drafts, then the rest;
/// each from late to early, by its date or, for drafts, by its last change, then by identifier (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeskPlace {
    stage: Stage,
    published: Reverse<i64>,
    updated: Reverse<i64>,
    id: Reverse<Id>,
}

/// How far a post has come, in the order in which staff see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Scheduled,
    Draft,
    Out,
}

impl DeskPlace {
    /// Where `post` stands.
    pub fn of(post: &Post) -> Self {
        let published = post.published_at.map_or(i64::MIN, |time| time.as_second());
        let (stage, published) = match post.status {
            Status::Scheduled => (Stage::Scheduled, published),
            // The date that a draft once had or is to have says nothing of when it was worked on.
            Status::Draft => (Stage::Draft, i64::MIN),
            Status::Published | Status::Sent => (Stage::Out, published),
        };
        Self {
            stage,
            published: Reverse(published),
            updated: Reverse(post.updated_at.as_second()),
            id: Reverse(post.id),
        }
    }
}

/// All posts or pages in the order in which staff see them.
pub type Desk = OrdMap<DeskPlace, Arc<Post>>;

/// All posts and pages. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone, Default)]
pub struct PostIndex {
    by_id: OrdMap<Id, Arc<Post>>,
    by_slug: OrdMap<Box<str>, Id>,
    by_uuid: OrdMap<Uuid, Id>,
    scheduled: OrdSet<Id>,
    posts: Listings,
    pages: Listings,
    uses_of_tags: Uses,
    uses_of_authors: Uses,
}

/// One kind: what there is, and what readers see of it.
#[derive(Clone, Default)]
struct Listings {
    desk: Desk,
    all: Listing,
    by_tag: OrdMap<Id, Listing>,
    by_author: OrdMap<Id, Listing>,
}

impl PostIndex {
    /// The post or page with this identifier, listed or not.
    pub fn get(&self, id: Id) -> Option<&Arc<Post>> {
        self.by_id.get(&id)
    }

    /// The post or page with this slug, listed or not.
    pub fn by_slug(&self, slug: &str) -> Option<&Arc<Post>> {
        self.by_slug.get(slug).and_then(|id| self.by_id.get(id))
    }

    /// The post or page with this second identifier, listed or not.
    pub fn by_uuid(&self, uuid: Uuid) -> Option<&Arc<Post>> {
        self.by_uuid.get(&uuid).and_then(|id| self.by_id.get(id))
    }

    /// All posts and pages, by rising identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.by_id.values()
    }

    /// Posts and pages from this identifier on, by rising identifier.
    pub fn from(&self, id: Id) -> impl Iterator<Item = &Arc<Post>> {
        self.by_id.range(id..).map(|(_, post)| post)
    }

    /// Posts and pages that wait for their time.
    pub fn scheduled(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.scheduled.iter().filter_map(|id| self.by_id.get(id))
    }

    /// All that there is of `kind`, listed or not, in the order in which staff see it.
    pub fn desk(&self, kind: PostKind) -> &Desk {
        &self.listings(kind).desk
    }

    /// How many posts and pages have this tag, listed or not.
    pub fn uses_of_tag(&self, tag: Id) -> usize {
        self.uses_of_tags.of(tag)
    }

    /// How many posts and pages are by this author, listed or not.
    pub fn uses_of_author(&self, author: Id) -> usize {
        self.uses_of_authors.of(author)
    }

    /// What readers see of `kind`, in its default order.
    pub fn listed(&self, kind: PostKind) -> &Listing {
        &self.listings(kind).all
    }

    /// What readers see of `kind` with this tag, in its default order.
    pub fn with_tag(&self, kind: PostKind, tag: Id) -> Option<&Listing> {
        self.listings(kind).by_tag.get(&tag)
    }

    /// What readers see of `kind` by this author, in its default order.
    pub fn by_author(&self, kind: PostKind, author: Id) -> Option<&Listing> {
        self.listings(kind).by_author.get(&author)
    }

    /// Adds the post, or puts it in the place of the one with its identifier.
    pub fn put(&mut self, mut post: Post) {
        self.remove(post.id);
        // Lists that were read from JSON have room for up to twice as many.
        post.tags.shrink_to_fit();
        post.authors.shrink_to_fit();
        let post = Arc::new(post);
        self.by_slug.insert(post.slug.clone(), post.id);
        self.by_uuid.insert(post.uuid, post.id);
        self.by_id.insert(post.id, Arc::clone(&post));
        self.listings_mut(post.kind)
            .desk
            .insert(DeskPlace::of(&post), Arc::clone(&post));
        self.uses_of_tags.add(&post.tags);
        self.uses_of_authors.add(&post.authors);
        if post.status == Status::Scheduled {
            self.scheduled.insert(post.id);
        }
        if post.is_listed() {
            let place = place(&post);
            let listings = self.listings_mut(post.kind);
            for tag in &post.tags {
                let listing = listings.by_tag.entry(*tag).or_default();
                listing.insert(place.clone(), Arc::clone(&post));
            }
            for author in &post.authors {
                let listing = listings.by_author.entry(*author).or_default();
                listing.insert(place.clone(), Arc::clone(&post));
            }
            listings.all.insert(place, post);
        }
    }

    /// Takes a post out.
    pub fn remove(&mut self, id: Id) -> Option<Arc<Post>> {
        let old = self.by_id.remove(&id)?;
        self.by_slug.remove(&old.slug);
        // Two may have one; then it leads to the other as soon as that is put again.
        if self.by_uuid.get(&old.uuid) == Some(&id) {
            self.by_uuid.remove(&old.uuid);
        }
        self.scheduled.remove(&id);
        self.listings_mut(old.kind)
            .desk
            .remove(&DeskPlace::of(&old));
        self.uses_of_tags.take(&old.tags);
        self.uses_of_authors.take(&old.authors);
        if old.is_listed() {
            let place = place(&old);
            let listings = self.listings_mut(old.kind);
            listings.all.remove(&place);
            for tag in &old.tags {
                remove_from(&mut listings.by_tag, *tag, &place);
            }
            for author in &old.authors {
                remove_from(&mut listings.by_author, *author, &place);
            }
        }
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

fn remove_from(listings: &mut OrdMap<Id, Listing>, key: Id, place: &Place) {
    if let Some(listing) = listings.get_mut(&key) {
        listing.remove(place);
        if listing.is_empty() {
            listings.remove(&key);
        }
    }
}

fn place(post: &Post) -> Place {
    match post.kind {
        PostKind::Post => {
            let published = post.published_at.map_or(i64::MIN, |time| time.as_second());
            Place::Dated(Reverse(published), Reverse(post.id))
        }
        PostKind::Page => Place::Titled(Box::new((post.title.clone(), post.id))),
    }
}
