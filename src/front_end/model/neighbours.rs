//! The posts before and after a post.

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

/// The side on which a neighbour is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The nearest later post.
    Next,
    /// The nearest earlier post, or another one of the same second.
    Previous,
}

/// The posts among which a neighbour is.
enum Neighbourhood<'v> {
    All,
    PrimaryTag(&'v str),
    PrimaryAuthor(&'v str),
}

/// Returns the post before or after one that a template shows, also a page: by time alone, or with the argument `in`, among
/// those of its primary tag or author. Of several posts of one second, it is the first one made (Ghost 6.65, recorded).
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
    // A post without a date is of now (Ghost 6.65).
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

/// Returns the nearest candidate on a side of a time. Posts of one second are listed with the last one made first.
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
    let same = earlier.take_while(|post| second(post) == second(nearest));
    Some(Arc::clone(same.last().unwrap_or(nearest)))
}

/// Returns a post whose position in the list is just before all those of this second, and after all later ones.
fn position_before(time: Timestamp) -> Post {
    Post {
        published_at: Some(time),
        ..Post::draft(Id::MAX, Uuid::nil(), PostKind::Post, time)
    }
}
