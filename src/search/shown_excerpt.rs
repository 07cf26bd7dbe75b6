//! The excerpt of a post that is indexed and shown.

use crate::domain::post::Post;

/// Returns the excerpt that all readers see.
pub(super) fn shown_excerpt(post: &Post) -> Option<&str> {
    let is_hidden = post.public_excerpt.is_none() && post.is_gated();
    post.custom_excerpt.as_deref().filter(|_| !is_hidden)
}
