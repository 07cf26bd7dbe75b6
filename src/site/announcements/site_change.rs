//! Whether a change is one of the site as a whole: what the API says with `X-Cache-Invalidate: /*` (Ghost 6.65, recorded).

use std::collections::HashSet;

use super::Difference;
use crate::{
    domain::post::{Post, Status},
    error::Result,
    id::Id,
    site::Transaction,
    store::Table,
};

/// Tables of which nothing changes that readers could not notice.
const ALWAYS: [Table; 7] = [
    Table::Settings,
    Table::Tiers,
    Table::Newsletters,
    Table::Recommendations,
    Table::Offers,
    Table::SiteFiles,
    Table::ThemeSettings,
];

/// Whether readers may see anything otherwise: what is public was changed, came or went, or something that goes for the
/// whole site. Drafts, members and what is scheduled are not of that kind.
///
/// # Errors
///
/// When the store cannot be read.
pub(super) fn is_one(change: &Transaction) -> Result<bool> {
    let is_touched = |table: &Table| !change.touched(*table).is_empty();
    Ok(change.announcements.of_site
        || ALWAYS.iter().any(is_touched)
        || are_labels_other(change)
        || are_authors_other(change)
        || are_tags_other(change)
        || are_posts_other(change)?)
}

/// Labels are not shown to readers. That a change of one counts is a fact of the reference, and that a new one does not.
fn are_labels_other(change: &Transaction) -> bool {
    let labels = change.touched_ids(Table::Labels);
    let was_there = |id: &Id| change.before().labels.get(*id).is_some();
    labels.iter().any(was_there)
}

/// An author who is new has written nothing yet.
fn are_authors_other(change: &Transaction) -> bool {
    change.touched_ids(Table::Users).into_iter().any(|id| {
        let before = change.before().users.get(id);
        let after = change.catalog().users.get(id);
        match (before, after) {
            (Some(before), Some(after)) => before.is_seen_otherwise_as(after),
            (before, None) => before.is_some(),
            (None, Some(_)) => false,
        }
    })
}

/// A tag that a post brought is seen when that post is.
fn are_tags_other(change: &Transaction) -> bool {
    let tags = change.announced_ids(Table::Tags);
    if tags.is_empty() {
        return false;
    }
    let posts = change.touched_posts().into_iter();
    let posts = posts.filter_map(|id| change.catalog().posts.get(id));
    let brought: HashSet<Id> = posts.flat_map(|post| post.tags.iter().copied()).collect();
    tags.into_iter().any(|id| {
        let difference = Difference::of_tag(change, id);
        match (&difference.before, &difference.after) {
            (Some(_), Some(_)) => difference.is_edited(),
            (None, Some(_)) => !brought.contains(&id),
            (before, None) => before.is_some(),
        }
    })
}

fn are_posts_other(change: &Transaction) -> Result<bool> {
    for id in change.touched_posts() {
        for difference in Difference::of_post(change, id)? {
            let is_edited = difference.is_edited();
            if is_seen(
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

/// Whether anything is other than it was for readers. What was scheduled or mailed and goes counts as well (Ghost 6.65,
/// observed).
fn is_seen(before: Option<&Post>, after: Option<&Post>, is_edited: bool) -> bool {
    let is_public = |post: &Post| post.status == Status::Published;
    match (before, after) {
        (None, Some(after)) => is_public(after),
        (Some(before), Some(after)) => is_edited && (is_public(before) || is_public(after)),
        (Some(before), None) => before.status != Status::Draft,
        (None, None) => false,
    }
}
