//! Changes of the site as a whole, which the API reports with
//! `X-Cache-Invalidate: /*` (Ghost 6.65, recorded).

use std::collections::{BTreeSet, HashSet};

use super::difference::RecordDifference;
use crate::{
    domain::post::{Post, Status},
    error::Result,
    id::Id,
    site::Transaction,
    store::{Events, Table},
};

/// Returns whether readers may see a difference: whether public content was changed, added or
/// removed, or a change applies to the whole site. Drafts, members and scheduled posts do not
/// count.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn changes_site(transaction: &Transaction, events: &BTreeSet<Events>) -> Result<bool> {
    if transaction.announcements.of_site {
        return Ok(true);
    }
    // In the order of `Events`, from those that are decided by the table alone to those that
    // compare records.
    for events in events {
        let is_visible = match events {
            Events::None | Events::OfMembers => false,
            Events::SiteChanged => true,
            Events::OfLabels => are_labels_changed(transaction),
            Events::OfAuthors => are_authors_changed(transaction),
            Events::OfTags => are_tags_changed(transaction),
            Events::OfPosts => are_posts_changed(transaction)?,
        };
        if is_visible {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether an existing label was changed. Labels are not shown to readers, but Ghost counts
/// changes of labels. It does not count new labels.
fn are_labels_changed(transaction: &Transaction) -> bool {
    let labels = transaction.touched_ids(Table::Labels);
    let existed = |id: &Id| transaction.before().labels.get(*id).is_some();
    labels.iter().any(existed)
}

/// Returns whether the visible fields of an author changed. A new author does not count: no post is
/// by that author yet.
fn are_authors_changed(transaction: &Transaction) -> bool {
    transaction.touched_ids(Table::Users).into_iter().any(|id| {
        let before = transaction.before().users.get(id);
        let after = transaction.catalog().users.get(id);
        match (before, after) {
            (Some(before), Some(after)) => before.differs_for_readers(after),
            (before, None) => before.is_some(),
            (None, Some(_)) => false,
        }
    })
}

/// Returns whether a tag changed visibly. A tag that was added with a post becomes visible with
/// that post.
fn are_tags_changed(transaction: &Transaction) -> bool {
    let tags = transaction.announced_ids(Table::Tags);
    if tags.is_empty() {
        return false;
    }
    let posts = transaction.touched_posts().into_iter();
    let posts = posts.filter_map(|id| transaction.catalog().posts.get(id));
    let of_posts: HashSet<Id> = posts.flat_map(|post| post.tags.iter().copied()).collect();
    tags.into_iter().any(|id| {
        let difference = RecordDifference::of_tag(transaction, id);
        match (&difference.before, &difference.after) {
            (Some(_), Some(_)) => difference.is_edited(),
            (None, Some(_)) => !of_posts.contains(&id),
            (before, None) => before.is_some(),
        }
    })
}

fn are_posts_changed(transaction: &Transaction) -> Result<bool> {
    for id in transaction.touched_posts() {
        for difference in RecordDifference::of_post(transaction, id)? {
            let is_edited = difference.is_edited();
            if is_visible_change(
                difference.before.as_deref(),
                difference.after.as_deref(),
                is_edited,
            ) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns whether readers see a difference. The removal of a scheduled or mailed post counts as
/// well (Ghost 6.65, observed).
fn is_visible_change(before: Option<&Post>, after: Option<&Post>, is_edited: bool) -> bool {
    let is_public = |post: &Post| post.status == Status::Published;
    match (before, after) {
        // A draft adds nothing that readers see (recorded in admin-posts-states).
        (None, Some(after)) => is_public(after),
        (Some(before), Some(after)) => is_edited && (is_public(before) || is_public(after)),
        (Some(before), None) => before.status != Status::Draft,
        (None, None) => false,
    }
}
