//! How far a post has come, and the ways from there (Ghost 6.65, recorded).
//!
//! A draft is published or scheduled; what is scheduled is published or taken back; what is published is taken back. What
//! is published already cannot be scheduled.

use jiff::{SignedDuration, Timestamp};

use super::change::{Mailing, PostChange};
use crate::{
    catalog::{Catalog, recipients},
    domain::post::{Post, PostKind, Status},
    error::{Error, Kind, Result},
};

/// How long ago the time may be that something is scheduled for.
const LATENESS_MAX: SignedDuration = SignedDuration::from_mins(2);

/// Takes `post` as far as is wanted, with its dates and its newsletter. `before` is how far it had come, which for a new
/// post is a draft.
///
/// # Errors
///
/// `Validation` when there is no such way, when something is scheduled for no time or one that has passed, or when the
/// segment of its mail is no filter.
pub(super) fn apply(
    post: &mut Post,
    before: (Status, Option<Timestamp>),
    change: &PostChange,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<()> {
    let (status, date) = before;
    post.status = next(post, status, change.status.unwrap_or(status))?;
    if let Some(published_at) = change.published_at {
        post.published_at = published_at;
    }
    match post.status {
        Status::Draft => {}
        Status::Scheduled => {
            let is_new = status != Status::Scheduled || post.published_at != date;
            check_schedule(post.published_at, is_new, now)?;
        }
        Status::Published | Status::Sent => {
            let is_out = matches!(status, Status::Published | Status::Sent);
            let since = date.filter(|_| is_out).unwrap_or(now);
            post.published_at.get_or_insert(since);
        }
    }
    if post.kind == PostKind::Post {
        apply_mailing(post, status, &change.mailing, catalog, now)?;
    }
    Ok(())
}

/// What the status becomes when `wanted` is asked for. Whether something was sent is not a client's to say.
fn next(post: &Post, before: Status, wanted: Status) -> Result<Status> {
    match (before, wanted) {
        (Status::Published | Status::Sent, Status::Scheduled) => Err(Error::new(
            Kind::Validation,
            "A published post cannot be scheduled.",
        )
        .help("Make it a draft first.")),
        (Status::Published | Status::Sent, Status::Published | Status::Sent) => Ok(before),
        (_, Status::Published | Status::Sent) => Ok(post.public_status()),
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

fn apply_mailing(
    post: &mut Post,
    before: Status,
    mailing: &Mailing,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<()> {
    match (before, post.status) {
        (Status::Draft, Status::Draft) => {}
        (Status::Draft, _) => {
            let newsletter = mailing.newsletter.as_deref();
            let newsletter = newsletter.and_then(|slug| catalog.newsletters.by_slug(slug));
            // One that is archived is never sent.
            if let Some(newsletter) = newsletter.filter(|newsletter| newsletter.active) {
                post.newsletter = Some(newsletter.id);
                post.email_segment = segment(mailing.segment.as_deref(), catalog, now)?;
            }
        }
        (_, Status::Draft) => {
            post.newsletter = None;
            post.email_segment = None;
        }
        _ => {}
    }
    Ok(())
}

/// The segment as it is kept: nothing for everybody.
fn segment(written: Option<&str>, catalog: &Catalog, now: Timestamp) -> Result<Option<Box<str>>> {
    let Some(written) = written.filter(|written| !matches!(*written, "" | "all")) else {
        return Ok(None);
    };
    match recipients::members(catalog, written, now) {
        Ok(_) => Ok(Some(written.into())),
        Err(error) => Err(Error::new(
            Kind::Validation,
            "The segment of subscribers that the mail is for is no filter of members.",
        )
        .context(format!("{error}."))
        .property("email_segment")),
    }
}
