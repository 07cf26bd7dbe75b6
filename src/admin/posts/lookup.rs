//! Finding the post of a request, and naming posts in messages.

use std::sync::Arc;

use crate::{
    domain::post::{Post, PostKind},
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Returns the post of this kind.
///
/// # Errors
///
/// `NotFound` if it does not exist or has the other kind.
pub(super) fn found(transaction: &Transaction, kind: PostKind, id: Id) -> Result<Arc<Post>> {
    let post = transaction.catalog().posts.get(id);
    post.filter(|post| post.kind == kind)
        .cloned()
        .ok_or_else(|| not_found(kind, id))
}

pub(super) fn not_found(kind: PostKind, id: Id) -> Error {
    Error::not_found(format!("{} {id}", kind.name()))
}

/// Returns the name of a post in messages: `post "night-ferry"`.
pub(super) fn named(post: &Post) -> String {
    format!("{} \"{}\"", post.kind.name(), post.slug)
}
