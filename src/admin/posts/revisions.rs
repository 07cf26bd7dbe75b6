//! Decides which changes store a revision, as in Ghost.
//!
//! A revision is stored for the first state of a post, for each save of a published post, and when
//! a post is unpublished. Other saves store a revision at most every ten minutes, because editors
//! save while the author types, unless the client requests one (`save_revision`). Whether anything
//! has changed since the latest revision does not matter (Ghost 6.65, recorded).

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

/// Shortest time between two revisions that were not requested.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// Stores the state of a post before its first change if the post has no revisions, such as an
/// imported post.
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
        // Generated for the time of that state, so that the revision sorts before that of the
        // change.
        Id::generate_at(before.updated_at).map_err(Error::internal)?,
        RevisionReason::InitialRevision,
        before.authors.first().copied(),
        before.updated_at,
    );
    transaction.store_revision(revision, lexical)
}

/// The facts about a save that decide whether a revision is stored.
#[derive(Clone, Copy)]
pub(super) struct SaveFacts {
    /// The status before.
    pub before: Status,
    /// The status that the client requested.
    pub requested: Status,
    /// True if the client requested a revision.
    pub is_explicit: bool,
}

/// Stores a revision of a post if the rules require one. Bodies that were not written in an editor
/// have no revisions.
pub(super) fn keep(
    transaction: &mut Transaction,
    actor: &Actor,
    post: &Post,
    lexical: Option<&str>,
    save: SaveFacts,
) -> Result<()> {
    let Some(lexical) = lexical else {
        return Ok(());
    };
    let now = transaction.now();
    let author = Some(authors::default_author(transaction, actor)?);
    let id = Id::generate(now).map_err(Error::internal)?;
    let mut revision = PostRevision::of(post, id, RevisionReason::InitialRevision, author, now);
    // Revisions are sorted by identifier, and thus by time.
    if let Some(latest) = transaction.revisions(post.id)?.pop() {
        revision.reason = match (save.before, save.requested) {
            (Status::Published, Status::Draft) => RevisionReason::Unpublished,
            (_, Status::Published) => RevisionReason::Published,
            _ if save.is_explicit => RevisionReason::ExplicitSave,
            _ if now.duration_since(latest.created_at) > PAUSE => RevisionReason::BackgroundSave,
            _ => return Ok(()),
        };
    }
    transaction.store_revision(revision, lexical)
}
