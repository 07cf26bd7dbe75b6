//! Posts sorted by a key that is computed from the posts themselves.
//!
//! An entry is only a pointer to the post: eight bytes, without a copy of the sort key. A site has
//! an entry for each tag of each post, so the size of entries determines how many posts fit into
//! memory.

use std::{borrow::Borrow, cmp::Ordering, marker::PhantomData, sync::Arc};

use imbl::OrdSet;

use crate::domain::post::Post;

/// An order of posts. Posts in an index are immutable; a change creates a new post.
pub trait PostOrder {
    /// The sort key, which is unique within an index.
    type Key<'p>: Ord;

    /// Returns the sort key of `post`.
    fn key(post: &Post) -> Self::Key<'_>;
}

/// A post in an index.
pub struct SortedPost<A> {
    /// The post.
    pub post: Arc<Post>,
    arrangement: PhantomData<A>,
}

/// Posts sorted by the order `A`. Cloning is cheap; a change copies only the path to the changed
/// records.
pub struct SortedPosts<A>(OrdSet<SortedPost<A>>);

impl<A: PostOrder> SortedPost<A> {
    fn new(post: &Arc<Post>) -> Self {
        Self {
            post: Arc::clone(post),
            arrangement: PhantomData,
        }
    }
}

impl<A> Clone for SortedPost<A> {
    fn clone(&self) -> Self {
        Self {
            post: Arc::clone(&self.post),
            arrangement: PhantomData,
        }
    }
}

impl<A: PostOrder> Ord for SortedPost<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        A::key(&self.post).cmp(&A::key(&other.post))
    }
}

impl<A: PostOrder> PartialOrd for SortedPost<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: PostOrder> PartialEq for SortedPost<A> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<A: PostOrder> Eq for SortedPost<A> {}

impl<A> Clone for SortedPosts<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A> Default for SortedPosts<A> {
    fn default() -> Self {
        Self(OrdSet::default())
    }
}

impl<A: PostOrder> SortedPosts<A> {
    /// Returns the index of these posts. Of several posts with the same key, only the last one is
    /// included.
    pub fn of<'p>(posts: impl IntoIterator<Item = &'p Arc<Post>>) -> Self {
        let keyed = posts.into_iter().map(|post| (A::key(post), post));
        let mut keyed: Vec<(A::Key<'p>, &Arc<Post>)> = keyed.collect();
        // Stable, so that of several posts with one key the last one is included, as after `put`.
        keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let with_same_key = keyed.chunk_by(|(one, _), (other, _)| one == other);
        let last = with_same_key.filter_map(|same| same.last());
        Self::in_order(last.map(|(_, post)| *post))
    }

    /// Returns the index of posts that are already sorted. This is faster than [`of`](Self::of),
    /// because each post is inserted next to the previous one.
    pub fn in_order<'p>(posts: impl IntoIterator<Item = &'p Arc<Post>>) -> Self {
        Self(posts.into_iter().map(SortedPost::new).collect())
    }

    /// Adds a post or replaces the one with the same key.
    pub fn put(&mut self, post: &Arc<Post>) {
        self.0.insert(SortedPost::new(post));
    }

    /// Removes the post with the same key.
    pub fn remove(&mut self, post: &Arc<Post>) {
        self.0.remove(&SortedPost::<A>::new(post));
    }

    /// Returns the post with this key.
    pub fn get<K>(&self, key: &K) -> Option<&Arc<Post>>
    where
        K: Ord + ?Sized,
        SortedPost<A>: Borrow<K>,
    {
        self.0.get(key).map(|sorted| &sorted.post)
    }

    /// Returns all posts, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Post>> + Clone {
        self.0.iter().map(|sorted| &sorted.post)
    }

    /// Returns the posts from the position of `post` on, in order. `post` does not have to be in
    /// the index.
    pub fn from(&self, post: Post) -> impl Iterator<Item = &Arc<Post>> {
        let from = SortedPost::new(&Arc::new(post));
        self.0.range(from..).map(|sorted| &sorted.post)
    }

    /// Returns the posts before the position of `post`, nearest first. `post` does not have to be
    /// in the index.
    pub fn before(&self, post: Post) -> impl Iterator<Item = &Arc<Post>> {
        let end = SortedPost::new(&Arc::new(post));
        self.0.range(..end).rev().map(|sorted| &sorted.post)
    }

    /// Skips `first` posts and returns the next ones, at most `limit`. Iterates from the nearer
    /// end, which takes a few nanoseconds per skipped post.
    pub fn window(&self, first: usize, limit: usize) -> Vec<Arc<Post>> {
        let end = first.saturating_add(limit).min(self.len());
        let count = end.saturating_sub(first);
        // The tree has no access by position, so all posts before the window are stepped over.
        if first <= self.len() / 2 {
            return self.iter().skip(first).take(count).cloned().collect();
        }
        let backwards = self.iter().rev().skip(self.len() - end).take(count);
        let mut window: Vec<Arc<Post>> = backwards.cloned().collect();
        window.reverse();
        window
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;
    use crate::{catalog::post_orders::Listing, domain::post::PostKind, id::Id};

    #[test]
    fn posts_on_both_sides_of_a_position_come_nearest_first() {
        let post = |slug: &str, second| {
            let time = Timestamp::from_second(second).unwrap();
            Post {
                slug: slug.into(),
                published_at: Some(time),
                ..Post::draft(Id::derive("post", slug), Uuid::nil(), PostKind::Post, time)
            }
        };
        let posts = [("a", 10), ("b", 20), ("c", 30), ("d", 40)];
        let posts = posts.map(|(slug, second)| Arc::new(post(slug, second)));
        let listing = Listing::of(&posts);
        let slugs = |posts: Vec<&Arc<Post>>| -> Vec<String> {
            posts.iter().map(|post| post.slug.to_string()).collect()
        };
        assert_eq!(slugs(listing.from(post("x", 25)).collect()), ["b", "a"]);
        assert_eq!(slugs(listing.before(post("x", 25)).collect()), ["c", "d"]);
        assert_eq!(
            slugs(listing.before(post("x", 5)).collect()),
            ["a", "b", "c", "d"]
        );
        assert!(listing.from(post("x", 5)).next().is_none());
    }
}
