//! A change of a member.

use jiff::Timestamp;

use crate::{
    domain::{OptionalText, member::Status},
    id::Id,
};

/// Changes to a member; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct MemberChange {
    /// The email address.
    pub email: Option<Box<str>>,
    /// The name.
    pub name: Option<OptionalText>,
    /// The staff's note.
    pub note: Option<OptionalText>,
    /// All labels; missing ones are created.
    pub labels: Option<Vec<LabelReference>>,
    /// All newsletters that the member receives.
    pub newsletters: Option<Vec<NewsletterReference>>,
    /// True for the default newsletters, false for none. Applies only if no newsletters are named.
    pub subscribed: Option<bool>,
    /// All tiers of the member.
    pub tiers: Option<Vec<TierReference>>,
    /// True if the member has a complimentary plan.
    pub comped: Option<bool>,
    /// The status that the member has afterwards.
    pub status: Option<Status>,
    /// Fields that were sent as empty strings: a change even if they have no value (Ghost 6.65,
    /// recorded).
    pub emptied: Vec<&'static str>,
}

/// A label as a client names it.
#[derive(Clone, Debug, Default)]
pub struct LabelReference {
    /// The identifier.
    pub id: Option<Id>,
    /// The name. A label without one is ignored (Ghost 6.65, recorded).
    pub name: Option<Box<str>>,
    /// The slug for a new label.
    pub slug: Option<Box<str>>,
}

/// A newsletter as a client names it.
#[derive(Clone, Debug)]
pub enum NewsletterReference {
    /// By its identifier.
    Id(Id),
    /// By its name.
    Name(Box<str>),
}

/// A tier as a client names it.
#[derive(Clone, Debug, Default)]
pub struct TierReference {
    /// The identifier.
    pub id: Option<Id>,
    /// The slug, if there is no identifier.
    pub slug: Option<Box<str>>,
    /// Expiry of the grant; `None` for no end.
    pub expires_at: Option<Timestamp>,
}
