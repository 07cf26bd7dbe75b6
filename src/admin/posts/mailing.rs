//! The newsletter of a post: chosen by the change that schedules or publishes it (Ghost 6.65,
//! recorded).
//!
//! A post that cannot be mailed is not published: a change is rejected if it names an unknown or
//! archived newsletter, or publishes a post whose newsletter has been archived.

use jiff::Timestamp;

use super::change::MailOptions;
use crate::{
    catalog::{
        Catalog,
        filter::FilterError,
        recipients::{self, SegmentError},
    },
    domain::{
        newsletter::Newsletter,
        post::{Post, Status},
    },
    error::{Error, Kind, Result},
};

/// Sets the newsletter and the segment that `post` is sent with, on a change of its status from
/// `before` to `requested`. A newsletter that is already set remains.
///
/// # Errors
///
/// `BadRequest` if the newsletter is unknown or archived, or the segment is not a valid filter of
/// members.
pub(super) fn apply(
    post: &mut Post,
    before: Status,
    requested: Status,
    mailing: &MailOptions,
    catalog: &Catalog,
    now: Timestamp,
) -> Result<()> {
    if requested == Status::Draft {
        take_back(post, catalog);
        return Ok(());
    }
    let is_sent_now = requested.is_out() && !before.is_out();
    let has_newsletter = post.newsletter.is_some();
    // When the post is sent, the named newsletter is checked even if another one is already set and
    // remains.
    if let Some(slug) = mailing.named().filter(|_| is_sent_now || !has_newsletter) {
        let newsletter = active(catalog, slug)?;
        if !has_newsletter {
            post.newsletter = Some(newsletter.id);
            post.email_segment = segment(mailing.segment.as_deref());
        }
    }
    if post.newsletter.is_none() {
        return Ok(());
    }
    // Checked even if the newsletter was already set: it may have been archived since the post was
    // scheduled.
    if is_sent_now && let Some(newsletter) = recipients::archived_newsletter(catalog, post) {
        return Err(archived(newsletter));
    }
    if is_sent_now || !has_newsletter {
        let requested = segment(mailing.segment.as_deref());
        check_segment(
            requested.as_deref().or(post.email_segment.as_deref()),
            catalog,
            now,
        )?;
    }
    Ok(())
}

/// Rejects scheduling an email-only post without a newsletter.
///
/// # Errors
///
/// `Validation` in that case.
pub(super) fn check_email_only(
    post: &Post,
    requested: Status,
    is_email_only: bool,
    mailing: &MailOptions,
) -> Result<()> {
    let has_newsletter = post.newsletter.is_some() || mailing.named().is_some();
    if requested == Status::Scheduled && is_email_only && !has_newsletter {
        Err(Error::new(
            Kind::Validation,
            "An email-only post cannot be scheduled without a newsletter.",
        )
        .help("Name the newsletter in the parameter \"newsletter\"."))
    } else {
        Ok(())
    }
}

/// Removes the newsletter of a post that becomes a draft again. A post that was mailed keeps its
/// newsletter (Ghost 6.65, recorded).
pub(super) fn take_back(post: &mut Post, catalog: &Catalog) {
    if catalog.emails.of_post(post.id).is_none() {
        post.newsletter = None;
        post.email_segment = None;
    }
}

fn active<'c>(catalog: &'c Catalog, slug: &str) -> Result<&'c Newsletter> {
    match catalog.newsletters.with_slug(slug).next() {
        None => Err(Error::new(
            Kind::BadRequest,
            format!("The newsletter \"{slug}\" does not exist."),
        )),
        Some(newsletter) if !newsletter.active => Err(archived(newsletter)),
        Some(newsletter) => Ok(newsletter),
    }
}

fn archived(newsletter: &Newsletter) -> Error {
    Error::new(
        Kind::BadRequest,
        format!(
            "The newsletter \"{}\" is archived, so the post cannot be sent to it.",
            newsletter.slug
        ),
    )
    .help(
        "Activate the newsletter, or make the post a draft and publish it with another newsletter.",
    )
}

/// Returns the segment as it is stored: `None` for all subscribers.
fn segment(written: Option<&str>) -> Option<Box<str>> {
    let written = written.filter(|written| !matches!(*written, "" | "all"));
    written.map(Into::into)
}

fn check_segment(segment: Option<&str>, catalog: &Catalog, now: Timestamp) -> Result<()> {
    let Some(segment) = segment else {
        return Ok(());
    };
    recipients::members(catalog, segment, now)
        .map(drop)
        .map_err(|error| {
            let kind = match error {
                SegmentError::Filter(FilterError::NotADate(_)) => Kind::Validation,
                _ => Kind::BadRequest,
            };
            Error::new(
                kind,
                "The segment of subscribers is not a valid filter of members.",
            )
            .context(format!("{error}."))
        })
}
