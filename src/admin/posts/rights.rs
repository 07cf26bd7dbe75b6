//! Rights on a post: the rows of the permission table, applied to the record.

use super::{authors, change::PostChange};
use crate::{
    catalog::Catalog,
    domain::{
        actor::Actor,
        permission::{Permission, Right},
        post::{
            PAGES_ADD, PAGES_COPY, PAGES_DELETE, PAGES_EDIT, PAGES_PUBLISH, POSTS_ADD,
            POSTS_CHANGE_AUTHORS, POSTS_CHANGE_VISIBILITY, POSTS_COPY, POSTS_DELETE, POSTS_EDIT,
            POSTS_PUBLISH, POSTS_TAG, Post, PostKind, Status, Visibility,
        },
    },
    error::Result,
    id::Id,
};

/// Returns the right that `permission` grants to `actor`. None of the rows used here depends on the
/// scope of integrations.
fn right(permission: &Permission, actor: &Actor) -> Result<Right> {
    permission.admit(actor)
}

fn pick(
    kind: PostKind,
    post: &'static Permission,
    page: &'static Permission,
) -> &'static Permission {
    match kind {
        PostKind::Post => post,
        PostKind::Page => page,
    }
}

/// Checks whether `actor` may add this post. A user with a right to their own posts only must be
/// the first author, given by identifier, and becomes the only author (Ghost 6.65, recorded).
pub(super) fn check_add(actor: &Actor, kind: PostKind, change: &mut PostChange) -> Result<()> {
    let permission = pick(kind, &POSTS_ADD, &PAGES_ADD);
    if right(permission, actor)? == Right::Yes {
        return Ok(());
    }
    let first = change.authors.as_ref().and_then(|authors| authors.first());
    if first.and_then(|author| author.id) != actor.user() {
        return Err(permission.refusal());
    }
    // Only the first author is used (Ghost 6.65, recorded), who is also the default: the actor.
    change.authors = None;
    Ok(())
}

/// Checks whether `actor` may edit `post` at all.
pub(super) fn check_edit(actor: &Actor, post: &Post) -> Result<()> {
    let permission = pick(post.kind, &POSTS_EDIT, &PAGES_EDIT);
    let is_own = |user: Id| post.authors.contains(&user);
    check_own(permission, actor, post, is_own)
}

/// Checks whether `actor` may delete `post`. A right to own posts covers only posts with the actor
/// as first author (Ghost 6.65, recorded).
pub(super) fn check_delete(actor: &Actor, post: &Post) -> Result<()> {
    let permission = pick(post.kind, &POSTS_DELETE, &PAGES_DELETE);
    let is_own = |user: Id| post.authors.first() == Some(&user);
    check_own(permission, actor, post, is_own)
}

/// Checks whether `actor` may copy `post`.
pub(super) fn check_copy(actor: &Actor, post: &Post) -> Result<()> {
    right(pick(post.kind, &POSTS_COPY, &PAGES_COPY), actor).map(drop)
}

fn check_own(
    permission: &Permission,
    actor: &Actor,
    post: &Post,
    is_own: impl Fn(Id) -> bool,
) -> Result<()> {
    let is_own = || actor.user().is_some_and(is_own);
    let is_covered = match right(permission, actor)? {
        Right::Yes => true,
        Right::Own => is_own(),
        Right::OwnDrafts => is_own() && post.status == Status::Draft,
        Right::No
        | Right::Below
        | Right::Writers
        | Right::SessionOnly
        | Right::BeyondSpecification => false,
    };
    if is_covered {
        Ok(())
    } else {
        Err(permission.refusal())
    }
}

/// Removes the values of a change that are ignored for `actor`, and rejects values that `actor` may
/// not change. Repeating the current value is not a change, because clients send back whole
/// records.
pub(super) fn narrow(
    actor: &Actor,
    post: &Post,
    change: &mut PostChange,
    catalog: &Catalog,
) -> Result<()> {
    let publish = pick(post.kind, &POSTS_PUBLISH, &PAGES_PUBLISH);
    if change.status.is_some_and(|status| status != post.status) {
        right(publish, actor)?;
    }
    let is_other_visibility = change
        .visibility
        .is_some_and(|visibility| visibility != post.visibility);
    // Tiers have an effect only with the visibility `tiers`; `apply_access` drops others.
    let is_other_tiers = change.tiers.as_ref().is_some_and(|tiers| {
        change.visibility.unwrap_or(post.visibility) == Visibility::Tiers && *tiers != post.tiers
    });
    if is_other_visibility || is_other_tiers {
        // The right to add or edit the post was checked before, so it counts as the actor's own.
        check_own(&POSTS_CHANGE_VISIBILITY, actor, post, |_| true)?;
    }
    if right(&POSTS_TAG, actor).is_err() {
        change.tags = None;
    }
    if let (Some(requested), Err(refusal)) = (&change.authors, right(&POSTS_CHANGE_AUTHORS, actor))
    {
        // Clients send back all authors. A different first author is rejected; other changes are
        // ignored (Ghost 6.65, recorded).
        if authors::resolved(catalog, requested)?.first() != post.authors.first() {
            return Err(refusal);
        }
        change.authors = None;
    }
    Ok(())
}
