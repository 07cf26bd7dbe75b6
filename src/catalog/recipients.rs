//! Who gets a post by mail: the subscribers of a newsletter, as far as a filter finds them.

use jiff::Timestamp;

use super::{
    Catalog,
    fields::MEMBERS,
    filter::{Filter, FilterError, Scope},
    relation::Relations,
};
use crate::{
    domain::{
        member::{Member, Status},
        newsletter::Newsletter,
        post::Post,
    },
    id::Id,
    nql,
};

/// A text that finds nobody among the members, because it is no filter of members.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// It is not written as filters are.
    #[error(transparent)]
    Syntax(#[from] nql::SyntaxError),
    /// It names what members do not have, or searches too much.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

/// Who gets a post by mail.
pub struct Recipients {
    newsletter: Id,
    is_for_paying: bool,
    segment: Option<Filter<Member>>,
}

impl Recipients {
    /// The subscribers of `newsletter` whom `segment` finds; all of them without one. Of a newsletter for those who pay,
    /// only they (Ghost 6.65, observed).
    ///
    /// # Errors
    ///
    /// When the segment is no filter of members.
    pub fn of(
        catalog: &Catalog,
        newsletter: &Newsletter,
        segment: Option<&str>,
        now: Timestamp,
    ) -> Result<Self, SegmentError> {
        Ok(Self {
            newsletter: newsletter.id,
            is_for_paying: &*newsletter.visibility == "paid",
            segment: match segment {
                Some(segment) => members(catalog, segment, now)?,
                None => None,
            },
        })
    }

    /// Whether this member gets it.
    pub fn include(&self, member: &Member) -> bool {
        takes(member, self.newsletter)
            && (!self.is_for_paying || member.status != Status::Free)
            && self
                .segment
                .as_ref()
                .is_none_or(|segment| segment.holds(member))
    }
}

/// The newsletter of a post, if it is archived: then the post cannot be published (Ghost 6.65, recorded).
pub fn archived_newsletter<'c>(catalog: &'c Catalog, post: &Post) -> Option<&'c Newsletter> {
    let newsletter = catalog.newsletters.get(post.newsletter?)?;
    (!newsletter.active).then_some(newsletter)
}

/// Whether a member gets the mails of a newsletter, at an address that takes mail.
pub fn takes(member: &Member, newsletter: Id) -> bool {
    member.newsletters.contains(&newsletter) && member.email_suppression.is_none()
}

/// The members whom a segment finds; `None` for all.
///
/// # Errors
///
/// When the segment is no filter of members.
pub fn members(
    catalog: &Catalog,
    segment: &str,
    now: Timestamp,
) -> Result<Option<Filter<Member>>, SegmentError> {
    let expression = nql::parse(segment)?;
    let scope = Scope {
        schema: &MEMBERS,
        relations: Relations::OfMembers,
        catalog,
        now,
        text: segment,
    };
    Ok(Filter::compile(&expression, &scope)?)
}
