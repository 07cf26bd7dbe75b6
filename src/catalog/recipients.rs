//! The recipients of a post's email: the subscribers of a newsletter that match a filter.

use jiff::Timestamp;

use super::{
    Catalog,
    fields::MEMBERS,
    filter::{Filter, FilterError, FilterScope},
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

/// A segment that is not a valid filter of members.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// A syntax error.
    #[error(transparent)]
    Syntax(#[from] nql::SyntaxError),
    /// An unknown field, or too many searches.
    #[error(transparent)]
    Filter(#[from] FilterError),
}

/// The recipients of a post's email.
pub struct Recipients {
    newsletter: Id,
    is_for_paying: bool,
    segment: Option<Filter<Member>>,
    now: Timestamp,
}

impl Recipients {
    /// Returns the subscribers of `newsletter` that match `segment` at `now`, or all subscribers
    /// without a segment. Only paying members receive a paid newsletter (Ghost 6.65, observed).
    ///
    /// # Errors
    ///
    /// If the segment is not a valid filter of members.
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
            now,
        })
    }

    /// Returns whether this member is a recipient.
    pub fn contains(&self, member: &Member) -> bool {
        // Without expired tiers: an expired member must not receive mail for paying members.
        let member = &*member.at(self.now);
        takes(member, self.newsletter)
            && (!self.is_for_paying || member.status() != Status::Free)
            && self
                .segment
                .as_ref()
                .is_none_or(|segment| segment.holds(member))
    }
}

/// Returns the newsletter of a post if it is archived, in which case the post cannot be published
/// (Ghost 6.65, recorded).
pub fn archived_newsletter<'c>(catalog: &'c Catalog, post: &Post) -> Option<&'c Newsletter> {
    let newsletter = catalog.newsletters.get(post.newsletter?)?;
    (!newsletter.active).then_some(newsletter)
}

/// Returns whether a member receives the mails of a newsletter at an address that accepts mail.
pub fn takes(member: &Member, newsletter: Id) -> bool {
    member.newsletters.contains(&newsletter) && member.email_suppression.is_none()
}

/// Returns the filter of the members in a segment; `None` for all.
///
/// # Errors
///
/// If the segment is not a valid filter of members.
pub fn members(
    catalog: &Catalog,
    segment: &str,
    now: Timestamp,
) -> Result<Option<Filter<Member>>, SegmentError> {
    let expression = nql::parse(segment)?;
    let scope = FilterScope {
        schema: &MEMBERS,
        relations: Relations::OfMembers,
        catalog,
        now,
        text: segment,
    };
    Ok(Filter::compile(&expression, &scope)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::member::TierGrant;

    #[test]
    fn member_whose_tier_has_expired_is_a_free_recipient() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let new = |visibility: &str| Newsletter {
            visibility: visibility.into(),
            ..Newsletter::new(visibility, visibility)
        };
        let [for_all, for_paying] = ["members", "paid"].map(new);
        let member = Member {
            newsletters: vec![for_all.id, for_paying.id],
            tiers: vec![TierGrant {
                tier: Id::derive("tier", "gold"),
                expires_at: Some(now),
            }],
            ..Member::new(Id::derive("member", "ana"), "ana@example.com", now)
        };
        let before = Timestamp::from_second(1_799_999_999).unwrap();
        for (newsletter, segment, then, since) in [
            (&for_paying, None, true, false),
            (&for_all, Some("status:comped"), true, false),
            (&for_all, Some("status:-free"), true, false),
            (&for_all, Some("status:free"), false, true),
            (&for_all, None, true, true),
        ] {
            let is_recipient = |now| {
                let recipients = Recipients::of(&Catalog::default(), newsletter, segment, now);
                recipients.unwrap().contains(&member)
            };
            assert_eq!(
                (is_recipient(before), is_recipient(now)),
                (then, since),
                "{segment:?}"
            );
        }
    }
}
