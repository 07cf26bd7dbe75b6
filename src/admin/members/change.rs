//! What is wanted of a member.

use jiff::Timestamp;

use crate::{domain::OptionalText, id::Id};

/// What is to be of a member; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct MemberChange {
    /// Where to write to.
    pub email: Option<Box<str>>,
    /// What to call the member.
    pub name: Option<OptionalText>,
    /// What the staff wrote down.
    pub note: Option<OptionalText>,
    /// All labels; those that there are not are made.
    pub labels: Option<Vec<LabelReference>>,
    /// Everything that the member gets by mail.
    pub newsletters: Option<Vec<NewsletterReference>>,
    /// Whether the member gets anything: what is for new members, or nothing. Counts where no newsletters are named.
    pub subscribed: Option<bool>,
    /// All tiers that the member is given.
    pub tiers: Option<Vec<TierReference>>,
    /// The fields that were sent as empty texts: a change also of those that have no value (Ghost 6.65, recorded).
    pub emptied: Vec<&'static str>,
}

/// A label as a client names it.
#[derive(Clone, Debug, Default)]
pub struct LabelReference {
    /// The identifier.
    pub id: Option<Id>,
    /// The name. A label without one is passed over, whatever else is said of it (Ghost 6.65, recorded).
    pub name: Option<Box<str>>,
    /// The slug that a new one gets.
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
    /// The slug, where there is no identifier.
    pub slug: Option<Box<str>>,
    /// Until when the member has it; `None` for good.
    pub expires_at: Option<Timestamp>,
}
