//! Bulk changes of posts.
//!
//! Posts of content files that this site does not write cannot be changed; they are skipped and
//! reported. The other posts are changed in one transaction. The endpoint checks the rights, which
//! apply to all posts or to none.

use std::sync::Arc;

use super::{
    ChangeContext, apply,
    change::{PostChange, TagReference},
    mailing, saving, tags,
};
use crate::{
    admin::{collection, posts::lookup::named},
    catalog::Catalog,
    domain::{
        action::ActionEvent,
        post::{Post, Status, Visibility},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// A bulk change of posts.
#[derive(Clone, Debug)]
pub enum BulkChange {
    /// Features the posts, or stops featuring them.
    Feature(bool),
    /// Sets the visibility of the posts, with the tiers for [`Visibility::Tiers`].
    Access(Visibility, Vec<Id>),
    /// Adds these tags after the existing ones.
    AddTags(Vec<TagReference>),
    /// Makes published posts drafts.
    Unpublish,
    /// Makes scheduled posts drafts without a date, which are no longer email-only (Ghost 6.65,
    /// observed).
    Unschedule,
}

impl BulkChange {
    /// Returns whether the change applies to `post`.
    fn concerns(&self, post: &Post) -> bool {
        match self {
            // The filter may match posts with another status, which remain unchanged.
            Self::Unpublish => post.status == Status::Published,
            Self::Unschedule => post.status == Status::Scheduled,
            Self::Feature(_) | Self::Access(..) | Self::AddTags(_) => true,
        }
    }
}

/// The result of a bulk change.
#[derive(Debug, Default)]
pub struct BulkOutcome {
    /// Number of posts that are in the requested state.
    pub successful: usize,
    /// The posts that could not be changed, with the reason.
    pub refused: Vec<(Id, Error)>,
}

/// Changes the posts that `select` returns. Their `updated_at` remains unchanged, and no revisions
/// are stored (Ghost 6.65, recorded).
///
/// # Errors
///
/// The error of `select`; `Validation` for unknown tags and tiers.
pub fn bulk_edit(
    transaction: &mut Transaction,
    context: &ChangeContext,
    select: impl FnOnce(&Transaction) -> Result<Vec<Arc<Post>>>,
    change: &BulkChange,
) -> Result<BulkOutcome> {
    let posts = select(transaction)?;
    context.edit_files(transaction);
    let added_tags = match change {
        BulkChange::AddTags(references) => tags::resolved(transaction, context, references)?,
        _ => Vec::new(),
    };
    let mut outcome = BulkOutcome::default();
    let concerned = posts.into_iter().filter(|post| change.concerns(post));
    for post in unlocked(transaction, concerned.collect(), &mut outcome) {
        let changed = changed(transaction.catalog(), &post, change, &added_tags)?;
        saving::save_one_of_many(transaction, context, &post, changed)?;
        outcome.successful += 1;
    }
    // One event for the whole change: Ghost sends none for the individual posts.
    transaction.announce_site();
    Ok(outcome)
}

/// Deletes the posts that `select` returns.
///
/// # Errors
///
/// The error of `select`.
pub fn bulk_delete(
    transaction: &mut Transaction,
    context: &ChangeContext,
    select: impl FnOnce(&Transaction) -> Result<Vec<Arc<Post>>>,
) -> Result<BulkOutcome> {
    let posts = select(transaction)?;
    context.edit_files(transaction);
    let mut outcome = BulkOutcome::default();
    for post in unlocked(transaction, posts, &mut outcome) {
        collection::record_action(transaction, context.actor, ActionEvent::Deleted, &*post)?;
        transaction.delete_post(post.id)?;
        outcome.successful += 1;
    }
    transaction.announce_site();
    Ok(outcome)
}

/// Returns the posts that can be changed. Posts of content files that this site does not write are
/// recorded as refused.
fn unlocked(
    transaction: &Transaction,
    posts: Vec<Arc<Post>>,
    outcome: &mut BulkOutcome,
) -> Vec<Arc<Post>> {
    let mut unlocked = Vec::with_capacity(posts.len());
    for post in posts {
        match transaction.check_origin(&named(&post), &post.origin) {
            Ok(()) => unlocked.push(post),
            Err(refusal) => outcome.refused.push((post.id, refusal)),
        }
    }
    unlocked
}

fn changed(catalog: &Catalog, post: &Post, change: &BulkChange, added_tags: &[Id]) -> Result<Post> {
    let mut changed = post.clone();
    match change {
        BulkChange::Feature(featured) => changed.featured = *featured,
        BulkChange::Access(visibility, tiers) => {
            let access = PostChange {
                visibility: Some(*visibility),
                tiers: Some(tiers.clone()),
                ..PostChange::default()
            };
            apply::apply_access(&mut changed, &access, catalog)?;
        }
        BulkChange::AddTags(_) => {
            let is_new = |tag: &&Id| !post.tags.contains(tag);
            changed.tags.extend(added_tags.iter().filter(is_new));
        }
        BulkChange::Unpublish => draft(&mut changed, catalog),
        BulkChange::Unschedule => {
            draft(&mut changed, catalog);
            changed.published_at = None;
            if let Some(meta) = &mut changed.meta {
                meta.email_only = false;
            }
        }
    }
    Ok(changed)
}

/// Makes a post a draft again; `published_at` remains unchanged.
fn draft(post: &mut Post, catalog: &Catalog) {
    post.status = Status::Draft;
    mailing::take_back(post, catalog);
}
