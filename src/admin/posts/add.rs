//! Adding a post.

use uuid::Uuid;

use super::{
    SavedPost, Writer, apply, authors, body,
    change::{BodyChange, MailOptions, PostChange},
    rights, saving,
};
use crate::{
    domain::post::{Post, PostKind},
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// Adds a post. Only a title is required; without a body it gets the empty document. A post is
/// never mailed when it is added, only by a later change that publishes it (Ghost 6.65, recorded).
///
/// # Errors
///
/// `NoPermission` if the writer may not, `Validation` if a value is invalid or values contradict
/// each other.
pub fn add(
    transaction: &mut Transaction,
    writer: &Writer,
    kind: PostKind,
    mut change: PostChange,
) -> Result<SavedPost> {
    rights::check_add(writer.actor, kind, &mut change)?;
    change.mailing = MailOptions::default();
    let mut post = begun(transaction, writer, kind)?;
    rights::narrow(writer.actor, &post, &mut change, transaction.catalog())?;
    post.updated_at = change.updated_at.unwrap_or(post.updated_at);
    apply::apply(transaction, writer, &mut post, &change)?;
    let document = match change.body {
        Some(BodyChange::Document(document)) => document,
        Some(BodyChange::Unusable(_, problem)) => return Err(body::refused("lexical", &problem)),
        Some(BodyChange::Empty) | None => body::empty(),
    };
    let text = saving::of_document(&post, document.html, document.lexical);
    saving::save_new(transaction, writer, post, text)
}

/// Returns a new post with default values.
fn begun(transaction: &mut Transaction, writer: &Writer, kind: PostKind) -> Result<Post> {
    let author = authors::default_author(transaction, writer.actor)?;
    let catalog = transaction.catalog();
    let now = transaction.now();
    let id = Id::generate(now).map_err(Error::internal)?;
    let tiers = catalog.settings.default_tiers().into_iter();
    Ok(Post {
        visibility: catalog.settings.default_visibility(),
        tiers: tiers
            .filter(|tier| catalog.tiers.get(*tier).is_some())
            .collect(),
        authors: vec![author],
        ..Post::draft(id, Uuid::new_v4(), kind, now)
    })
}
