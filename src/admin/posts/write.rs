//! Adding, editing and deleting a post.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    ChangeContext, SavedPost, apply, authors, body,
    change::{BodyChange, MailOptions, PostChange},
    rights, saving,
};
use crate::{
    admin::{collection, posts::lookup::found},
    clock::whole_seconds,
    domain::{
        action::ActionEvent,
        post::{Post, PostKind},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Adds a post. Only a title is required; without a body, the post gets the empty document. A post
/// is never mailed when it is added, only when a later change publishes it (Ghost 6.65, recorded).
///
/// # Errors
///
/// `NoPermission` if the actor may not add it, `Validation` if a value is invalid or values
/// contradict each other.
pub fn add(
    transaction: &mut Transaction,
    context: &ChangeContext,
    kind: PostKind,
    mut change: PostChange,
) -> Result<SavedPost> {
    rights::check_add(context.actor, kind, &mut change)?;
    context.edit_files(transaction);
    change.mailing = MailOptions::default();
    let mut post = begun(transaction, context, kind)?;
    rights::narrow(context.actor, &post, &mut change, transaction.catalog())?;
    // Dates have no fractions of seconds in Ghost's database, so clients expect none.
    post.updated_at = change.updated_at.map_or(post.updated_at, whole_seconds);
    apply::apply(transaction, context, &mut post, &change)?;
    let document = match change.body {
        Some(BodyChange::Document(document)) => Arc::unwrap_or_clone(document),
        Some(BodyChange::Unusable(_, problem)) => return Err(body::refused("lexical", &problem)),
        Some(BodyChange::Empty) | None => body::empty(),
    };
    let text = saving::of_document(&post, document.html, document.lexical);
    saving::save_new(transaction, context, post, text)
}

/// Returns a new post with default values.
fn begun(transaction: &mut Transaction, context: &ChangeContext, kind: PostKind) -> Result<Post> {
    let author = authors::default_author(transaction, context.actor)?;
    let catalog = transaction.catalog();
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    let tiers = catalog.settings.default_tiers().into_iter();
    Ok(Post {
        visibility: catalog.settings.default_visibility(),
        tiers: tiers
            // The setting may name tiers that were deleted since.
            .filter(|tier| catalog.tiers.get(*tier).is_some())
            .collect(),
        authors: vec![author],
        ..Post::draft(id, Uuid::new_v4(), kind, now)
    })
}

/// Changes a post. `updated_at` remains unchanged if only relations or metadata change (Ghost 6.65,
/// recorded).
///
/// # Errors
///
/// `NotFound` if it does not exist; `NoPermission` if the actor may not edit it; `Validation` or
/// `BadRequest` if a value is invalid or values contradict each other; `Validation` if the post
/// comes from a content file that this site does not write or that cannot store a value;
/// `UpdateCollision` if the change is not based on the current state of the post.
pub fn edit(
    transaction: &mut Transaction,
    context: &ChangeContext,
    kind: PostKind,
    id: Id,
    mut change: PostChange,
) -> Result<SavedPost> {
    let before = found(transaction, kind, id)?;
    rights::check_edit(context.actor, &before)?;
    context.edit_files(transaction);
    rights::narrow(context.actor, &before, &mut change, transaction.catalog())?;
    let mut post = Post::clone(&before);
    apply::apply(transaction, context, &mut post, &change)?;
    saving::save_changed(transaction, context, &before, post, &change)
}

/// Deletes a post with its body and its revisions, and returns the deleted record.
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` if the actor may not delete it, `Validation` if
/// it comes from a content file that this site does not write.
pub fn delete(
    transaction: &mut Transaction,
    context: &ChangeContext,
    kind: PostKind,
    id: Id,
) -> Result<Arc<Post>> {
    let post = found(transaction, kind, id)?;
    rights::check_delete(context.actor, &post)?;
    context.edit_files(transaction);
    collection::record_action(transaction, context.actor, ActionEvent::Deleted, &*post)?;
    transaction.delete_post(id)?;
    Ok(post)
}
