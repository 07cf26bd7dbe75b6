//! The index of posts and pages: by identifier, by slug, and in their default order, also tag by tag and author by
//! author, so that the lists that sites ask for most are read off and not searched for.

use std::{cmp::Reverse, sync::Arc};

use imbl::{OrdMap, OrdSet};

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

/// All posts and pages. Cloning it costs nothing; a change copies the path to what changed.
#[derive(Clone, Default)]
pub struct PostIndex {
    by_id: OrdMap<Id, Arc<Post>>,
    by_slug: OrdMap<Box<str>, Id>,
    scheduled: OrdSet<Id>,
    posts: Listings,
    pages: Listings,
}

/// What readers see of one kind.
#[derive(Clone, Default)]
struct Listings {
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

    /// All posts and pages, by rising identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.by_id.values()
    }

    /// Posts and pages that wait for their time.
    pub fn scheduled(&self) -> impl Iterator<Item = &Arc<Post>> {
        self.scheduled.iter().filter_map(|id| self.by_id.get(id))
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
        self.by_id.insert(post.id, Arc::clone(&post));
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
        self.scheduled.remove(&id);
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
