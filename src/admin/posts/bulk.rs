//! Many posts at once.
//!
//! What cannot be changed, because it comes from a content file, is left as it is and told; the rest is changed, all in one
//! transaction. Who may is decided by the endpoint: it is a right to all posts or to none.

use std::sync::Arc;

use super::{
    Writer, access, change::PostChange, change::TagReference, mailing, named, saving, tags,
};
use crate::{
    admin::content_files,
    catalog::Catalog,
    domain::{
        action::ActionEvent,
        post::{Post, Status, Visibility},
    },
    error::{Error, Result},
    id::Id,
    site::Transaction,
};

/// What is to become of many posts.
#[derive(Clone, Debug)]
pub enum BulkChange {
    /// They are put forward, or not any more.
    Feature(bool),
    /// Others may read them: everybody of this visibility, or the members of these tiers.
    Access(Visibility, Vec<Id>),
    /// They get these tags behind those they have.
    AddTags(Vec<TagReference>),
    /// Those that are published become drafts.
    Unpublish,
    /// Those that are scheduled become drafts without a date, which are no longer for the mail alone (Ghost 6.65, observed).
    Unschedule,
}

impl BulkChange {
    /// Whether there is anything to do about `post`.
    fn concerns(&self, post: &Post) -> bool {
        match self {
            Self::Unpublish => post.status == Status::Published,
            Self::Unschedule => post.status == Status::Scheduled,
            Self::Feature(_) | Self::Access(..) | Self::AddTags(_) => true,
        }
    }
}

/// What came of a change of many posts.
#[derive(Debug, Default)]
pub struct BulkOutcome {
    /// How many are as they were to be.
    pub successful: usize,
    /// Which are not, and why.
    pub refused: Vec<(Id, Error)>,
}

/// Changes the posts that `select` finds. Their dates of change stay, and no revisions are kept (Ghost 6.65, recorded).
///
/// # Errors
///
/// What `select` returns; `Validation` for tags and tiers that there are not.
pub fn bulk_edit(
    transaction: &mut Transaction,
    writer: &Writer,
    select: impl FnOnce(&Catalog) -> Result<Vec<Arc<Post>>>,
    change: &BulkChange,
) -> Result<BulkOutcome> {
    let posts = select(transaction.catalog())?;
    let added_tags = match change {
        BulkChange::AddTags(references) => tags::resolved(transaction, writer, references)?,
        _ => Vec::new(),
    };
    let mut outcome = BulkOutcome::default();
    let concerned = posts.into_iter().filter(|post| change.concerns(post));
    for post in unlocked(concerned.collect(), &mut outcome) {
        let changed = changed(transaction.catalog(), &post, change, &added_tags)?;
        saving::save_one_of_many(transaction, writer, &post, changed)?;
        outcome.successful += 1;
    }
    transaction.announce_site();
    Ok(outcome)
}

/// Deletes the posts that `select` finds.
///
/// # Errors
///
/// What `select` returns.
pub fn bulk_delete(
    transaction: &mut Transaction,
    writer: &Writer,
    select: impl FnOnce(&Catalog) -> Result<Vec<Arc<Post>>>,
) -> Result<BulkOutcome> {
    let posts = select(transaction.catalog())?;
    let mut outcome = BulkOutcome::default();
    for post in unlocked(posts, &mut outcome) {
        saving::note(transaction, writer, &post, ActionEvent::Deleted)?;
        transaction.delete_post(post.id)?;
        outcome.successful += 1;
    }
    transaction.announce_site();
    Ok(outcome)
}

/// The posts that do not come from content files; the others are noted as refused.
fn unlocked(posts: Vec<Arc<Post>>, outcome: &mut BulkOutcome) -> Vec<Arc<Post>> {
    let mut unlocked = Vec::with_capacity(posts.len());
    for post in posts {
        match content_files::refuse(&named(&post), &post.source) {
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
            access::apply(&mut changed, &access, catalog)?;
        }
        BulkChange::AddTags(_) => {
            let known = |tag: &&Id| !post.tags.contains(tag);
            changed.tags.extend(added_tags.iter().filter(known));
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

/// Makes a draft of it again; its date stays.
fn draft(post: &mut Post, catalog: &Catalog) {
    post.status = Status::Draft;
    mailing::take_back(post, catalog);
}
