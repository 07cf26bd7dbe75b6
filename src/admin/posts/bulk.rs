//! Bulk changes of posts.
//!
//! Posts of content files that this site does not write cannot be changed; they are skipped and reported. The others are changed
//! in one transaction. The endpoint checks the rights, which apply to all posts or to none.

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
    /// Features them, or not any more.
    Feature(bool),
    /// Sets who may read them: a visibility, or the members of these tiers.
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
            // A filter may find posts in other states, which stay as they are.
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

/// Changes the posts that `select` returns. Their dates of change stay, and no revisions are stored
/// (Ghost 6.65, recorded).
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
    // One event for all: Ghost sends none for the single posts of a bulk change.
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

/// Returns the posts that can be changed here; those of content files that this site does not write are recorded as refused.
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

/// Makes a post a draft again; its date stays.
fn draft(post: &mut Post, catalog: &Catalog) {
    post.status = Status::Draft;
    mailing::take_back(post, catalog);
}
