//! Posts in an order that is read off the posts themselves.
//!
//! An entry is nothing but the post: eight bytes, and no copy of what it is sorted by. A site has an entry for each tag of
//! each post, so this decides how many posts fit into memory.

use std::{borrow::Borrow, cmp::Ordering, marker::PhantomData, sync::Arc};

use imbl::OrdSet;

use crate::domain::post::Post;

/// A way to arrange posts. What it goes by does not change while a post is arranged: a changed post is another one.
pub trait Arrangement {
    /// What it goes by. No two posts of one arrangement have the same.
    type Key<'p>: Ord;

    /// Where `post` stands.
    fn key(post: &Post) -> Self::Key<'_>;
}

/// A post in an arrangement.
pub struct Placed<A> {
    /// The post.
    pub post: Arc<Post>,
    arrangement: PhantomData<A>,
}

/// Posts in an arrangement. Cloning it costs nothing; a change copies the path to what changed.
pub struct Arranged<A>(OrdSet<Placed<A>>);

impl<A: Arrangement> Placed<A> {
    fn new(post: &Arc<Post>) -> Self {
        Self {
            post: Arc::clone(post),
            arrangement: PhantomData,
        }
    }
}

impl<A> Clone for Placed<A> {
    fn clone(&self) -> Self {
        Self {
            post: Arc::clone(&self.post),
            arrangement: PhantomData,
        }
    }
}

impl<A: Arrangement> Ord for Placed<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        A::key(&self.post).cmp(&A::key(&other.post))
    }
}

impl<A: Arrangement> PartialOrd for Placed<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A: Arrangement> PartialEq for Placed<A> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<A: Arrangement> Eq for Placed<A> {}

impl<A> Clone for Arranged<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A> Default for Arranged<A> {
    fn default() -> Self {
        Self(OrdSet::default())
    }
}

impl<A: Arrangement> Arranged<A> {
    /// All of these at once. Of those in the same place the last one counts.
    pub fn of<'p>(posts: impl IntoIterator<Item = &'p Arc<Post>>) -> Self {
        let keyed = posts.into_iter().map(|post| (A::key(post), post));
        let mut keyed: Vec<(A::Key<'p>, &Arc<Post>)> = keyed.collect();
        keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let in_one_place = keyed.chunk_by(|(one, _), (other, _)| one == other);
        let last = in_one_place.filter_map(|same| same.last());
        Self::in_order(last.map(|(_, post)| *post))
    }

    /// All of these, which come in order: each goes to where the one before it went, which is at hand still.
    pub fn in_order<'p>(posts: impl IntoIterator<Item = &'p Arc<Post>>) -> Self {
        Self(posts.into_iter().map(Placed::new).collect())
    }

    /// Adds a post, or puts it in the place of the one that stands there.
    pub fn put(&mut self, post: &Arc<Post>) {
        self.0.insert(Placed::new(post));
    }

    /// Takes the post out that stands where this one does.
    pub fn remove(&mut self, post: &Arc<Post>) {
        self.0.remove(&Placed::<A>::new(post));
    }

    /// The post at `place`.
    pub fn get<K>(&self, place: &K) -> Option<&Arc<Post>>
    where
        K: Ord + ?Sized,
        Placed<A>: Borrow<K>,
    {
        self.0.get(place).map(|placed| &placed.post)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Post>> + Clone {
        self.0.iter().map(|placed| &placed.post)
    }

    /// Those after the first `first`, at most `limit`. It goes there from the nearer end, some nanoseconds for each post
    /// that it passes over.
    pub fn window(&self, first: usize, limit: usize) -> Vec<Arc<Post>> {
        let end = first.saturating_add(limit).min(self.len());
        let count = end.saturating_sub(first);
        if first <= self.len() / 2 {
            return self.iter().skip(first).take(count).cloned().collect();
        }
        let backwards = self.iter().rev().skip(self.len() - end).take(count);
        let mut window: Vec<Arc<Post>> = backwards.cloned().collect();
        window.reverse();
        window
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
