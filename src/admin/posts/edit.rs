//! A change of a post that is there.

use jiff::SignedDuration;

use super::{Writer, Written, apply, change::PostChange, found, named, rights, saving};
use crate::{
    admin::content_files,
    catalog::fields::STAFF_POSTS,
    clock,
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
    id::Id,
    site::Transaction,
    store::Table,
};

/// Changes a post. Nothing is written, and its date of change stays, when it is so already.
///
/// # Errors
///
/// `NotFound` when there is none, `NoPermission` when the writer may not, `UpdateCollision` when somebody else changed it
/// since the client read it, `Validation` when something in the change is wrong or does not go together, or the post comes
/// from a content file.
pub fn edit(
    transaction: &mut Transaction,
    writer: &Writer,
    kind: PostKind,
    id: Id,
    mut change: PostChange,
) -> Result<Written> {
    let before = found(transaction, kind, id)?;
    rights::check_edit(writer.actor, &before)?;
    content_files::refuse(&named(&before), &before.source)?;
    check_collision(&before, &change)?;
    rights::narrow(writer.actor, &before, &mut change, transaction.catalog())?;
    let mut post = Post::clone(&before);
    apply::apply(transaction, writer, &mut post, &change)?;
    let emptied = STAFF_POSTS.without_value(&before, &change.emptied);
    if !emptied.is_empty() {
        post.updated_at = transaction.now_after(before.updated_at + SignedDuration::from_secs(1));
        transaction.announce_emptied(Table::Posts, id, emptied);
    }
    saving::save_changed(
        transaction,
        writer,
        &before,
        post,
        change.body.as_ref(),
        change.is_explicit_save,
    )
}

/// Dates of change are compared to the second: clients know no finer ones.
fn check_collision(post: &Post, change: &PostChange) -> Result<()> {
    let stored = clock::whole_seconds(post.updated_at);
    match change.updated_at {
        Some(known) if known != stored => Err(Error::new(
            Kind::UpdateCollision,
            "Saving failed: somebody else changed this in the meantime.",
        )
        .context(format!(
            "The {} {} was changed at {stored}; this change is of what it was at {known}.",
            post.kind.name(),
            post.id
        ))
        .help("Read it again and make the change anew.")
        .code("UPDATE_COLLISION")),
        _ => Ok(()),
    }
}
