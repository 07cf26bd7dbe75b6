//! Posts in an order that is read off the posts themselves.
//!
//! An entry is nothing but the post: eight bytes, and no copy of what it is sorted by. A site has an entry for each tag of
//! each post, so this decides how many posts fit into memory, and how soon a large site is open.

use std::{cmp::Ordering, marker::PhantomData, sync::Arc};

use imbl::Vector;

use crate::domain::post::Post;

/// A way to arrange posts. What it goes by does not change while a post is arranged: a changed post is another one.
pub trait Arrangement {
    /// What it goes by. No two posts of one arrangement have the same.
    type Key<'p>: Ord;

    /// Where `post` stands.
    fn key(post: &Post) -> Self::Key<'_>;
}

/// Posts in an arrangement. Cloning it costs nothing; a change copies the path to what changed.
pub struct Arranged<A> {
    posts: Vector<Arc<Post>>,
    arrangement: PhantomData<A>,
}

impl<A> Clone for Arranged<A> {
    fn clone(&self) -> Self {
        Self {
            posts: self.posts.clone(),
            arrangement: PhantomData,
        }
    }
}

impl<A> Default for Arranged<A> {
    fn default() -> Self {
        Self {
            posts: Vector::new(),
            arrangement: PhantomData,
        }
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

    /// All of these, which come in order, each in a place of its own.
    pub fn in_order<'p>(posts: impl IntoIterator<Item = &'p Arc<Post>>) -> Self {
        Self {
            posts: posts.into_iter().cloned().collect(),
            arrangement: PhantomData,
        }
    }

    /// Adds a post, or puts it in the place of the one that stands there.
    pub fn put(&mut self, post: &Arc<Post>) {
        match self.place_of(post) {
            Ok(taken) => drop(self.posts.set(taken, Arc::clone(post))),
            Err(free) => self.posts.insert(free, Arc::clone(post)),
        }
    }

    /// Takes the post out that stands where this one does.
    pub fn remove(&mut self, post: &Arc<Post>) {
        if let Ok(place) = self.place_of(post) {
            self.posts.remove(place);
        }
    }

    /// Where a post stands, or would stand.
    fn place_of(&self, post: &Post) -> Result<usize, usize> {
        let posts = &self.posts;
        posts.binary_search_by(|other| A::key(other).cmp(&A::key(post)))
    }

    /// The post in the place with which `compare` compares the places of others.
    pub fn find(&self, compare: impl Fn(&Post) -> Ordering) -> Option<&Arc<Post>> {
        let place = self.posts.binary_search_by(|post| compare(post)).ok()?;
        self.posts.get(place)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Post>> {
        self.posts.iter()
    }

    /// Those after the first `first`, at most `limit`. How many are passed over does not matter.
    pub fn window(&self, first: usize, limit: usize) -> Vec<Arc<Post>> {
        let first = first.min(self.len());
        let end = first.saturating_add(limit).min(self.len());
        let window = self.posts.focus().narrow(first..end);
        window.into_iter().cloned().collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.posts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.posts.is_empty()
    }
}
