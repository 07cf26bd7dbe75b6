//! Deleting a post.

use std::sync::Arc;

use super::{Writer, found, named, rights, saving};
use crate::{
    admin::content_files,
    domain::{
        action::ActionEvent,
        post::{Post, PostKind},
    },
    error::Result,
    id::Id,
    site::Transaction,
};

/// Deletes a post with its body and its revisions, and returns the deleted record.
///
/// # Errors
///
/// `NotFound` if it does not exist, `NoPermission` if the writer may not, `Validation` if it comes from
/// a content file.
pub fn delete(
    transaction: &mut Transaction,
    writer: &Writer,
    kind: PostKind,
    id: Id,
) -> Result<Arc<Post>> {
    let post = found(transaction, kind, id)?;
    rights::check_delete(writer.actor, &post)?;
    content_files::refuse(&named(&post), &post.source)?;
    saving::note(transaction, writer, &post, ActionEvent::Deleted)?;
    transaction.delete_post(id)?;
    Ok(post)
}
