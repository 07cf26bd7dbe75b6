//! Members: readers who signed up.
//!
//! The content that a member may read depends on the member's access: whether the member pays in
//! another system, and which tiers have been granted and have not expired. The status is derived
//! from both and never stored, so it is always consistent with them.

use std::{borrow::Cow, iter, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{OptionalText, email, permission::permissions, record::record};
use crate::{
    error::{Error, Kind, Result},
    id::Id,
};

/// Longest name, in characters (Ghost 6.65, recorded).
pub const NAME_CHARACTERS_MAX: usize = 191;

/// Longest note, in characters (Ghost 6.65, recorded).
pub const NOTE_CHARACTERS_MAX: usize = 2000;

/// The access level of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Signed up, without a paid tier.
    Free,
    /// Pays for a tier.
    Paid,
    /// Has a complimentary tier.
    Comped,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 3] = [Self::Free, Self::Paid, Self::Comped];

    /// Returns the status called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns the name on the wire and in filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Paid => "paid",
            Self::Comped => "comped",
        }
    }
}

/// A tier granted to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierGrant {
    /// The tier.
    pub tier: Id,
    /// Time of expiry; `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl TierGrant {
    /// Returns whether the grant has not expired at `now`.
    pub fn lasts(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }
}

/// The reason why a member is not sent mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuppressionReason {
    /// Mail bounced.
    Fail,
    /// The member reported mail as spam.
    Spam,
}

/// A suppression: the member is not sent any mail, regardless of subscriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailSuppression {
    /// The reason.
    pub reason: SuppressionReason,
    /// Time of the start.
    pub at: Timestamp,
}

/// The origin of a member, as far as known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberOrigin {
    /// Added by a staff user.
    Staff,
    /// Added by the integration with this name.
    Integration(Box<str>),
    /// Added by an import.
    Import,
}

/// A member (Ghost 6.65, recorded).
///
/// This record contains all fields that lists, filters and searches use. Labels, newsletters and
/// tiers are identifiers; an identifier without a record is ignored, so that deleting a label, a
/// newsletter or a tier does not change members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The record's identifier.
    pub id: Id,
    /// A second identifier that cannot be guessed, used in URLs in mails.
    pub uuid: Uuid,
    /// The second identifiers of members that were merged into this one. Links in their mails apply
    /// to this member.
    #[serde(default, skip_serializing_if = "<[Uuid]>::is_empty")]
    pub former_uuids: Box<[Uuid]>,
    /// The e-mail address, as entered. Unique among members, ignoring case (see [`email_key`]);
    /// stores of earlier versions may contain addresses that differ only in case.
    pub email: Box<str>,
    /// The member's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: OptionalText,
    /// The staff's note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: OptionalText,
    /// True if the member pays for a tier in another system. Earlier versions stored a status
    /// instead.
    #[serde(
        default,
        alias = "status",
        deserialize_with = "stored_access::pays",
        skip_serializing_if = "is_false"
    )]
    pub pays: bool,
    /// The labels, in the order in which they were added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Id>,
    /// The subscribed newsletters; empty means unsubscribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub newsletters: Vec<Id>,
    /// The granted tiers. They are complimentary if the member does not pay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierGrant>,
    /// Grants of deleted tiers, which have no effect until the tier exists again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers_deleted: Vec<TierGrant>,
    /// The Stripe customer identifier, as imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stripe_customer_id: OptionalText,
    /// Set if no mail is sent to this address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_suppression: Option<EmailSuppression>,
    /// The location of the sign-up as JSON text, as Ghost derives it from the IP address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub geolocation: OptionalText,
    /// The origin of the member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<MemberOrigin>,
    /// Time at which the member was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<Timestamp>,
    /// The number of newsletters that the mail server accepted for the member.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub email_count: u32,
    /// Number of times that all proofs of the member's identity were revoked
    /// ([`super::member_proof::MemberProof`]).
    #[serde(default, skip_serializing_if = "is_zero", rename = "sessions_ended")]
    pub proof_revocations: u32,
    /// Time of the sign-up.
    pub created_at: Timestamp,
    /// Time at which the record last changed.
    pub updated_at: Timestamp,
}

record!(Member, "member", |member| member
    .name
    .as_deref()
    .unwrap_or(&member.email));

permissions! {
    MEMBERS_BROWSE: "members", "browse" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_READ: "members", "read" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_ADD: "members", "add" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_EDIT: "members", "edit" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_DELETE: "members", "delete" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    MEMBERS_EXPORT: "members", "export" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    MEMBERS_SIGN_IN_URL: "members", "read sign-in URL" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    MEMBERS_EVENTS: "members", "read events" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    MEMBERS_METAFIELDS: "members", "browse metafields" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    MEMBERS_STATS: "members", "read stats" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
}

impl Member {
    /// Returns a free member with an address only, without newsletters.
    pub fn new(id: Id, email: &str, now: Timestamp) -> Self {
        Self {
            id,
            uuid: Uuid::new_v4(),
            former_uuids: Box::default(),
            email: email.into(),
            name: None,
            note: None,
            pays: false,
            labels: Vec::new(),
            newsletters: Vec::new(),
            tiers: Vec::new(),
            tiers_deleted: Vec::new(),
            stripe_customer_id: None,
            email_suppression: None,
            geolocation: None,
            origin: None,
            last_seen_at: None,
            email_count: 0,
            proof_revocations: 0,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the status that follows from the record. Expired tiers count; [`at`](Self::at)
    /// removes them.
    pub fn status(&self) -> Status {
        match (self.pays, self.tiers.is_empty()) {
            (true, _) => Status::Paid,
            (false, false) => Status::Comped,
            (false, true) => Status::Free,
        }
    }

    /// Returns the member as of `now`: without the tiers that have expired. A member all of whose
    /// tiers have expired no longer pays either.
    pub fn at(&self, now: Timestamp) -> Cow<'_, Self> {
        if self.tiers.iter().all(|grant| grant.lasts(now)) {
            return Cow::Borrowed(self);
        }
        // Rare: only between the expiry of a tier and the next pass of the scheduler, which removes
        // it.
        let mut member = self.clone();
        member.tiers.retain(|grant| grant.lasts(now));
        member.pays &= !member.tiers.is_empty();
        Cow::Owned(member)
    }

    /// Returns the member as of `now`, as [`at`](Self::at) does.
    pub fn as_of(self: Arc<Self>, now: Timestamp) -> Arc<Self> {
        let changed = match self.at(now) {
            Cow::Borrowed(_) => None,
            Cow::Owned(member) => Some(Arc::new(member)),
        };
        changed.unwrap_or(self)
    }

    /// Returns whether the member has paid access at `now`.
    pub fn has_paid_access(&self, now: Timestamp) -> bool {
        self.at(now).status() != Status::Free
    }

    /// Revokes all paid access.
    pub fn end_access(&mut self) {
        self.pays = false;
        self.tiers.clear();
        self.tiers_deleted.clear();
    }

    /// Returns the second identifiers of the member: the member's own one, then those of merged
    /// members.
    pub fn uuids(&self) -> impl Iterator<Item = Uuid> {
        iter::once(self.uuid).chain(self.former_uuids.iter().copied())
    }

    /// Returns whether `uuid` is a second identifier of the member.
    pub fn has_uuid(&self, uuid: Uuid) -> bool {
        self.uuids().any(|known| known == uuid)
    }

    /// Returns whether the member subscribes to any newsletter.
    pub fn is_subscribed(&self) -> bool {
        !self.newsletters.is_empty()
    }

    /// Checks the fields that can be validated without other records.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the field, if the address is invalid, or the name or the note is too
    /// long.
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

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_false(is_true: &bool) -> bool {
    !is_true
}

/// Deserialises the field `pays` from records of all versions.
mod stored_access {
    use serde::{Deserialize, Deserializer};

    use super::Status;

    /// The forms in which versions of Galley stored the field. Of an old status, only `paid` is
    /// used, because granted tiers define who is comped.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Pays(bool),
        Status(Status),
    }

    pub(super) fn pays<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
        Ok(match Stored::deserialize(field)? {
            Stored::Pays(pays) => pays,
            Stored::Status(status) => status == Status::Paid,
        })
    }
}

/// Returns the form of an address used for comparison. Case is ignored, as mail services do.
pub fn email_key(email: &str) -> String {
    // Not in ASCII only, because addresses may have characters of every script.
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

/// Returns a text truncated for an error message.
fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 100;
    match text.char_indices().nth(CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
