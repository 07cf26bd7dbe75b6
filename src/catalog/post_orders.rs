//! The orders of posts and pages in the index: the default orders for readers and for staff, by
//! slug, and by UUID.

use std::{borrow::Borrow, cmp::Reverse};

use uuid::Uuid;

use super::sorted_posts::{PostOrder, SortedPost, SortedPosts};
use crate::{
    collation::CollatedText,
    domain::post::{Post, PostKind, Status},
    id::Id,
};

/// The position of a listed post or page in the default order for readers: posts by date, newest
/// first, then by identifier; pages by title (Ghost 6.65, recorded).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub enum ListedPosition<'p> {
    /// Seconds and identifier, both descending.
    Dated(Reverse<i64>, Reverse<Id>),
    /// Title and identifier, both ascending.
    Titled(CollatedText<'p>, Id),
}

/// The default order for readers.
pub struct ReaderOrder;

impl PostOrder for ReaderOrder {
    type Key<'p> = ListedPosition<'p>;

    fn key(post: &Post) -> ListedPosition<'_> {
        match post.kind {
            PostKind::Post => {
                // Whole seconds, as Ghost stores them: posts of the same second are ordered by
                // identifier.
                let published = post.published_at.map_or(i64::MIN, |time| time.as_second());
                ListedPosition::Dated(Reverse(published), Reverse(post.id))
            }
            PostKind::Page => ListedPosition::Titled(CollatedText(&post.title), post.id),
        }
    }
}

/// Listed posts in their default order.
pub type Listing = SortedPosts<ReaderOrder>;

/// The position of a post or page in the default order for staff: scheduled posts, then drafts,
/// then the rest. Each group is ordered by publication date or, for drafts, by the date of the last
/// change, latest first, then by identifier (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StaffPosition {
    stage: Stage,
    published: Reverse<i64>,
    updated: Reverse<i64>,
    id: Reverse<Id>,
}

/// The stage of a post, in the order in which staff see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Scheduled,
    Draft,
    Out,
}

impl StaffPosition {
    /// Returns the position of `post`.
    pub fn of(post: &Post) -> Self {
        let published = post.published_at.map_or(i64::MIN, |time| time.as_second());
        let (stage, published) = match post.status {
            Status::Scheduled => (Stage::Scheduled, published),
            // The publication date of a draft is unrelated to the time when it was edited, so it is
            // ignored.
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

/// The default order for staff.
pub struct StaffOrder;

impl PostOrder for StaffOrder {
    type Key<'p> = StaffPosition;

    fn key(post: &Post) -> StaffPosition {
        StaffPosition::of(post)
    }
}

/// All posts or pages in the order for staff.
pub type StaffListing = SortedPosts<StaffOrder>;

/// The order by slug.
pub struct BySlug;

impl PostOrder for BySlug {
    type Key<'p> = &'p str;

    fn key(post: &Post) -> &str {
        &post.slug
    }
}

impl Borrow<str> for SortedPost<BySlug> {
    fn borrow(&self) -> &str {
        &self.post.slug
    }
}

/// The order by UUID.
pub struct ByUuid;

impl PostOrder for ByUuid {
    type Key<'p> = Uuid;

    fn key(post: &Post) -> Uuid {
        post.uuid
    }
}

impl Borrow<Uuid> for SortedPost<ByUuid> {
    fn borrow(&self) -> &Uuid {
        &self.post.uuid
    }
}
