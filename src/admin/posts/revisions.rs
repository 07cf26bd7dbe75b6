//! Which changes leave a revision behind, as users of Ghost know it.
//!
//! The first state of a post is kept, each that is saved while the post is public, changed or not, and the one that was taken
//! back. Of what else is saved, one is kept every ten minutes, because editors save as one types; a client that asks for it
//! (`save_revision`) has one kept at once. Whether anything changed since the latest does not count (Ghost 6.65, recorded).

use jiff::SignedDuration;

use super::authors;
use crate::{
    domain::{
        actor::Actor,
        post::{Post, Status},
        post_revision::{PostRevision, RevisionReason},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// How long after a revision the next one is kept that nobody asked for.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// Keeps what a post was before its first change since revisions are kept: one that was imported has none.
pub(super) fn keep_first(
    transaction: &mut Transaction,
    before: &Post,
    lexical: Option<&str>,
) -> Result<()> {
    let Some(lexical) = lexical else {
        return Ok(());
    };
    if !transaction.revisions(before.id)?.is_empty() {
        return Ok(());
    }
    let revision = PostRevision::of(
        before,
        Id::generate_at(before.updated_at).map_err(Error::internal)?,
        RevisionReason::InitialRevision,
        before.authors.first().copied(),
        before.updated_at,
    );
    transaction.keep_revision(revision, lexical)
}

/// A save, as far as it decides whether a revision is kept.
#[derive(Clone, Copy)]
pub(super) struct Save {
    /// How far the post had come.
    pub before: Status,
    /// How far the client asked it to come.
    pub wanted: Status,
    /// Whether the client asked for a revision.
    pub is_explicit: bool,
}

/// Keeps what a post is now, if there is a reason to. Bodies that were not made in an editor have no revisions.
pub(super) fn keep(
    transaction: &mut Transaction,
    actor: &Actor,
    post: &Post,
    lexical: Option<&str>,
    save: Save,
) -> Result<()> {
    let Some(lexical) = lexical else {
        return Ok(());
    };
    let now = transaction.now();
    let author = Some(authors::default_author(transaction, actor)?);
    let id = Id::generate(now).map_err(Error::internal)?;
    let mut revision = PostRevision::of(post, id, RevisionReason::InitialRevision, author, now);
    if let Some(latest) = transaction.revisions(post.id)?.pop() {
        revision.reason = match (save.before, save.wanted) {
            (Status::Published, Status::Draft) => RevisionReason::Unpublished,
            (_, Status::Published) => RevisionReason::Published,
            _ if save.is_explicit => RevisionReason::ExplicitSave,
            _ if now.duration_since(latest.created_at) > PAUSE => RevisionReason::BackgroundSave,
            _ => return Ok(()),
        };
    }
    transaction.keep_revision(revision, lexical)
}
