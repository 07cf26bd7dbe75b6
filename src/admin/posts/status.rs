//! The status of a post, and its transitions (Ghost 6.65, recorded).
//!
//! A draft is published or scheduled; a scheduled post is published or unscheduled; a published one
//! is unpublished. A published post cannot be scheduled; a post that was sent by mail only can.

use jiff::{SignedDuration, Timestamp};

use super::{change::PostChange, mailing};
use crate::{
    catalog::Catalog,
    domain::post::{Post, PostKind, Status},
    error::{Error, Kind, Result},
};

/// Maximum age of the publication time of a newly scheduled post.
const LATENESS_MAX: SignedDuration = SignedDuration::from_mins(2);

/// The state before the change; a new post is a draft.
pub(super) struct PreviousStatus {
    pub status: Status,
    pub published_at: Option<Timestamp>,
    /// True if the post was email-only. If a change unsets this and publishes the post, unsetting
    /// takes effect with the next change (Ghost 6.65, recorded).
    pub is_email_only: bool,
}

/// Changes `post` to the requested status, with its dates and its newsletter.
///
/// # Errors
///
/// `Validation` if there is no such transition, or if a post is scheduled without a time or for a
/// time in the past; the errors of [`mailing::apply`].
pub(super) fn apply(
    post: &mut Post,
    before: &PreviousStatus,
    change: &PostChange,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<()> {
    let status = before.status;
    let requested = change.status.unwrap_or(status);
    // Either value counts: unsetting it takes effect with the next change (Ghost 6.65, recorded).
    let is_email_only = before.is_email_only || post.is_email_only();
    post.status = next(status, requested, is_email_only)?;
    if let Some(published_at) = change.published_at {
        post.published_at = published_at;
    }
    match post.status {
        Status::Draft => {}
        Status::Scheduled => {
            // An overdue post must remain editable until the scheduler has published it.
            let is_new = status != Status::Scheduled || post.published_at != before.published_at;
            check_schedule(post.published_at, is_new, now)?;
        }
        Status::Published | Status::Sent => {
            // A post that is published again keeps its first date (Ghost 6.65, recorded).
            post.published_at.get_or_insert(now);
        }
    }
    // Without a change of the status, mail options are ignored, even invalid ones.
    if post.kind == PostKind::Post && requested != status {
        mailing::check_email_only(post, requested, is_email_only, &change.mailing)?;
        mailing::apply(post, status, requested, &change.mailing, catalog, now)?;
    }
    Ok(())
}

/// Returns the status after a request for `requested`. Clients cannot set the status `sent`
/// directly.
fn next(before: Status, requested: Status, is_email_only: bool) -> Result<Status> {
    match (before, requested) {
        (Status::Published, Status::Scheduled) => Err(Error::new(
            Kind::Validation,
            "A published post cannot be scheduled.",
        )
        .help("Make it a draft first.")),
        (before, requested) if requested.is_out() && requested != before => {
            Ok(Status::of_public(is_email_only))
        }
        (_, requested) => Ok(requested),
    }
}

fn check_schedule(published_at: Option<Timestamp>, is_new: bool, now: Timestamp) -> Result<()> {
    let Some(time) = published_at else {
        return Err(Error::new(
            Kind::Validation,
            "A scheduled post needs a time in \"published_at\".",
        ));
    };
    if is_new && time < now - LATENESS_MAX {
        return Err(Error::new(
            Kind::Validation,
            format!("The scheduled time, {time}, is in the past."),
        ));
    }
    Ok(())
}
