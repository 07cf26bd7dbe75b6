//! The next and the previous post of a post.

use std::{rc::Rc, sync::Arc};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    context::ModelContext,
    parts::PostParts,
    post::{PostObject, PostView},
};
use crate::{
    clock,
    domain::post::{Post, PostKind},
    front_end::state::PageState,
    id::Id,
    templates::Value,
};

/// The direction from a post to its neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The nearest newer post.
    Next,
    /// The nearest older post, or another post of the same second.
    Previous,
}

/// The posts that are considered as neighbours.
enum Neighbourhood<'v> {
    All,
    PrimaryTag(&'v str),
    PrimaryAuthor(&'v str),
}

/// Returns the next or previous post of the post or page that a template shows. The order is by time; the argument `in` restricts
/// the posts to those with the same primary tag or author. Of several posts of the same second, the one created first is returned
/// (Ghost 6.65, recorded).
pub fn neighbour(
    state: &PageState,
    post: &Value,
    direction: Direction,
    within: Option<&str>,
) -> Option<Value> {
    let context = &state.model;
    let slug = post.get("slug");
    let slug = slug.as_text()?;
    let published = post.get("published_at");
    let published = match &published {
        Value::Time(time) => Some(*time),
        other => other.as_text().and_then(clock::parse),
    };
    // A post without a date counts as published now (Ghost 6.65).
    let published = published.unwrap_or_else(|| context.now());
    let (tag, author) = match within {
        Some("primary_tag") => (post.get("primary_tag").get("slug"), Value::Undefined),
        Some("primary_author") => (Value::Undefined, post.get("primary_author").get("slug")),
        _ => Default::default(),
    };
    let among = match (tag.as_text(), author.as_text()) {
        (Some(tag), _) => Neighbourhood::PrimaryTag(tag),
        (_, Some(author)) => Neighbourhood::PrimaryAuthor(author),
        _ => Neighbourhood::All,
    };
    let is_candidate = |post: &Arc<Post>| &*post.slug != slug && among.has(context, post);
    let found = nearest(context, published, direction, is_candidate)?;
    let parts = Rc::new(PostParts::whole(PostKind::Post).of_neighbour());
    Some(Value::object(PostObject::new(
        context,
        &found,
        &parts,
        &PostView::Public,
    )))
}

impl Neighbourhood<'_> {
    fn has(&self, context: &ModelContext, post: &Post) -> bool {
        let catalog = context.catalog();
        match self {
            Self::All => true,
            Self::PrimaryTag(slug) => {
                let main = post.tags.iter().find_map(|id| catalog.tags.get(*id));
                main.is_some_and(|tag| !tag.internal && *tag.slug == **slug)
            }
            Self::PrimaryAuthor(slug) => {
                let main = post.authors.iter().find_map(|id| catalog.users.get(*id));
                main.is_some_and(|author| *author.slug == **slug)
            }
        }
    }
}

/// Returns the candidate nearest to a time in one direction. In the list, posts of the same second are sorted by creation, newest
/// first.
fn nearest(
    context: &ModelContext,
    time: Timestamp,
    direction: Direction,
    is_candidate: impl Fn(&Arc<Post>) -> bool,
) -> Option<Arc<Post>> {
    let listed = context.catalog().posts.listed(PostKind::Post);
    let position = position_before(time);
    if direction == Direction::Next {
        return listed
            .before(position)
            .find(|post| is_candidate(post))
            .cloned();
    }
    let second = |post: &Post| post.published_at.map(|time| time.as_second());
    let mut earlier = listed.from(position).filter(|post| is_candidate(post));
    let nearest = earlier.next()?;
    // The list continues with older posts of the same second, of which the one created first is the
    // last.
    let same = earlier.take_while(|post| second(post) == second(nearest));
    Some(Arc::clone(same.last().unwrap_or(nearest)))
}

/// Returns a post whose position in the list is before all posts of this second and after all later posts.
fn position_before(time: Timestamp) -> Post {
    Post {
        published_at: Some(time),
        // The list is in descending order of identifier within a second, so the highest one is
        // first.
        ..Post::draft(Id::MAX, Uuid::nil(), PostKind::Post, time)
    }
}
