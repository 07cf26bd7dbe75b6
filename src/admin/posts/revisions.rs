//! Which changes leave a revision behind, as users of Ghost know it.
//!
//! The first state of a post is kept, and each that went public or was taken back. Of what is saved in between, one is kept
//! every ten minutes, because editors save as one types; whoever asks for it (`save_revision`) has one kept at once.

use jiff::SignedDuration;

use super::Written;
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

/// Keeps what a post is now, if there is a reason to. Bodies that were not made in an editor have no revisions.
pub(super) fn keep(
    transaction: &mut Transaction,
    actor: &Actor,
    written: &Written,
    lexical: Option<&str>,
    is_explicit_save: bool,
) -> Result<()> {
    let Some(lexical) = lexical else {
        return Ok(());
    };
    let post = &written.after;
    let now = transaction.now();
    let revision = |reason| -> Result<PostRevision> {
        let id = Id::generate(now).map_err(Error::internal)?;
        let author = actor.user().or(post.authors.first().copied());
        Ok(PostRevision::of(post, id, reason, author, now))
    };
    let Some(latest) = transaction.revisions(post.id)?.pop() else {
        return transaction.keep_revision(revision(RevisionReason::InitialRevision)?, lexical);
    };
    let is_public = |post: &Post| post.status == Status::Published;
    let was_public = written.before.as_deref().is_some_and(is_public);
    let reason = match (was_public, is_public(post)) {
        (false, true) => RevisionReason::Published,
        (true, false) => RevisionReason::Unpublished,
        _ if is_explicit_save => RevisionReason::ExplicitSave,
        _ if now.duration_since(latest.created_at) >= PAUSE => RevisionReason::BackgroundSave,
        _ => return Ok(()),
    };
    let revision = revision(reason)?;
    let is_own_reason = matches!(
        reason,
        RevisionReason::Published | RevisionReason::Unpublished
    );
    if !is_own_reason
        && revision.says_the_same(&latest)
        && transaction.revision_body(&latest)? == lexical
    {
        return Ok(());
    }
    transaction.keep_revision(revision, lexical)
}
