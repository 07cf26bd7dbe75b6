//! How far a post has come, and the ways from there (Ghost 6.65, recorded).
//!
//! A draft is published or scheduled; what is scheduled is published or taken back; what is published is taken back. What
//! is published already cannot be scheduled; what went out by mail alone can.

use jiff::{SignedDuration, Timestamp};

use super::{change::PostChange, mailing};
use crate::{
    catalog::Catalog,
    domain::post::{Post, PostKind, Status},
    error::{Error, Kind, Result},
};

/// How long ago the time may be that something is scheduled for.
const LATENESS_MAX: SignedDuration = SignedDuration::from_mins(2);

/// How far a post had come; a new one is a draft.
pub(super) struct Before {
    pub status: Status,
    pub published_at: Option<Timestamp>,
    /// Whether it was for mail alone. A change that says otherwise and publishes counts for the next one (Ghost 6.65,
    /// recorded).
    pub is_email_only: bool,
}

/// Takes `post` as far as is wanted, with its dates and its newsletter.
///
/// # Errors
///
/// `Validation` when there is no such way, or when something is scheduled for no time or one that has passed; what
/// [`mailing::apply`] returns.
pub(super) fn apply(
    post: &mut Post,
    before: &Before,
    change: &PostChange,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<()> {
    let status = before.status;
    let wanted = change.status.unwrap_or(status);
    let is_email_only = before.is_email_only || post.is_email_only();
    post.status = next(status, wanted, is_email_only)?;
    if let Some(published_at) = change.published_at {
        post.published_at = published_at;
    }
    match post.status {
        Status::Draft => {}
        Status::Scheduled => {
            let is_new = status != Status::Scheduled || post.published_at != before.published_at;
            check_schedule(post.published_at, is_new, now)?;
        }
        Status::Published | Status::Sent => {
            post.published_at.get_or_insert(now);
        }
    }
    if post.kind == PostKind::Post && wanted != status {
        mailing::check_email_only(post, wanted, is_email_only, &change.mailing)?;
        mailing::apply(post, status, wanted, &change.mailing, catalog, now)?;
    }
    Ok(())
}

/// What the status becomes when `wanted` is asked for. Whether something was sent is not a client's to say.
fn next(before: Status, wanted: Status, is_email_only: bool) -> Result<Status> {
    match (before, wanted) {
        (Status::Published, Status::Scheduled) => Err(Error::new(
            Kind::Validation,
            "A published post cannot be scheduled.",
        )
        .help("Make it a draft first.")),
        (before, wanted) if wanted.is_out() && wanted != before => {
            Ok(Status::of_public(is_email_only))
        }
        (_, wanted) => Ok(wanted),
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
