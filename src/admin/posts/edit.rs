//! Editing a post.

use super::{SavedPost, Writer, apply, change::PostChange, found, named, rights, saving};
use crate::{
    admin::content_files,
    domain::post::{Post, PostKind},
    error::Result,
    id::Id,
    site::Transaction,
};

/// Changes a post. Its date of change stays if only its relations or its side record change (Ghost
/// 6.65, recorded).
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` if the writer may not, `Validation` or `BadRequest`
/// if a value is invalid or values contradict each other, `Validation` if the post comes from a
/// content file, and `UpdateCollision` if the post or a relation of it changes that another client
/// changed since this one read it.
pub fn edit(
    transaction: &mut Transaction,
    writer: &Writer,
    kind: PostKind,
    id: Id,
    mut change: PostChange,
) -> Result<SavedPost> {
    let before = found(transaction, kind, id)?;
    rights::check_edit(writer.actor, &before)?;
    content_files::refuse(&named(&before), &before.source)?;
    rights::narrow(writer.actor, &before, &mut change, transaction.catalog())?;
    let mut post = Post::clone(&before);
    apply::apply(transaction, writer, &mut post, &change)?;
    saving::save_changed(transaction, writer, &before, post, &change)
}
