//! Members: readers who signed up.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{OptionalText, email};
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest name, in characters (Ghost 6.65, recorded).
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest note, in characters (Ghost 6.65, recorded).
pub const NOTE_CHARACTERS_MAX: usize = 2000;

/// How a member came to read what is not for everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Signed up, and no more.
    #[default]
    Free,
    /// Pays for a tier.
    Paid,
    /// Was given a tier.
    Comped,
}

impl Status {
    /// The word for it on the wire and in filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Paid => "paid",
            Self::Comped => "comped",
        }
    }
}

/// A tier that a member has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierGrant {
    /// Which one.
    pub tier: Id,
    /// Until when; `None` for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// Why nothing is mailed to a member any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuppressionReason {
    /// Mail comes back.
    Fail,
    /// The member called it spam.
    Spam,
}

/// Nothing is mailed to a member any more, whatever newsletters there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailSuppression {
    /// Why.
    pub reason: SuppressionReason,
    /// Since when.
    pub at: Timestamp,
}

/// How a member came to be there, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Somebody of the staff made the member.
    Staff,
    /// The integration of this name did.
    Integration(Box<str>),
    /// A list or an export was brought in.
    Import,
}

/// A member (Ghost 6.65, recorded).
///
/// Everything that lists, filters and searches ask for is in this one record. Labels, newsletters and tiers are
/// identifiers; one that leads nowhere any more counts as not there, so that deleting a label, a newsletter or a tier
/// touches no member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier, which nobody can guess, used in addresses that go out by mail.
    pub uuid: Uuid,
    /// Where to write to, as the member wrote it. Unique among members to the letter: another spelling is another member
    /// (Ghost 6.65, recorded). Who looks for somebody finds both: see [`email_key`].
    pub email: Box<str>,
    /// What to call the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// What the staff wrote down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: OptionalText,
    /// Free, paying or comped.
    #[serde(default)]
    pub status: Status,
    /// What the staff put on the member, in the order in which it came.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Id>,
    /// What the member gets by mail; none means unsubscribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newsletters: Vec<Id>,
    /// The paid tiers that the member has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierGrant>,
    /// What Stripe knows the member by, as it was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_customer_id: OptionalText,
    /// Set when nothing is to be mailed to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_suppression: Option<EmailSuppression>,
    /// Where the member signed up, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geolocation: OptionalText,
    /// Who made the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// When the member was last here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<Timestamp>,
    /// When the member signed up.
    pub created_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

impl Member {
    /// A free member who gets no newsletter, known by the address alone.
    pub fn new(id: Id, email: &str, now: Timestamp) -> Self {
        Self {
            id,
            uuid: Uuid::new_v4(),
            email: email.into(),
            name: None,
            note: None,
            status: Status::Free,
            labels: Vec::new(),
            newsletters: Vec::new(),
            tiers: Vec::new(),
            stripe_customer_id: None,
            email_suppression: None,
            geolocation: None,
            origin: None,
            last_seen_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether the member gets any newsletter.
    pub fn is_subscribed(&self) -> bool {
        !self.newsletters.is_empty()
    }

    /// Checks what can be seen from the member alone.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, when the address is none, or the name or the note is too long.
    pub fn check(&self) -> Result<()> {
        if !email::is_address(&self.email) {
            return Err(Error::new(
                Kind::Validation,
                format!("\"{}\" is not an e-mail address.", shortened(&self.email)),
            )
            .property("email"));
        }
        check_length("name", &self.name, NAME_CHARACTERS_MAX)?;
        check_length("note", &self.note, NOTE_CHARACTERS_MAX)
    }
}

/// What addresses are compared by that may be one, since no mail service tells the case of letters apart.
pub fn email_key(email: &str) -> String {
    email.trim().to_lowercase()
}

fn check_length(field: &str, text: &OptionalText, characters_max: usize) -> Result<()> {
    let characters = text.as_deref().unwrap_or_default().chars().count();
    if characters > characters_max {
        Err(Error::new(
            Kind::Validation,
            format!(
                "The {field} of a member has at most {characters_max} characters; this one has {characters}."
            ),
        )
        .property(field))
    } else {
        Ok(())
    }
}

/// As much of a text as an error message repeats.
fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 100;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
