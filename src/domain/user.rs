//! Staff users. The Content API knows those who have published as authors.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, SourceFile, role::Role};
use crate::id::Id;

/// The host of e-mail addresses that stand in exports for users who have none. Nobody is ever there (RFC 6761).
const STAND_IN_HOST: &str = "authors.invalid";

/// The slug of the author of a site that names none.
pub const UNNAMED_SLUG: &str = "author";

/// The name of that author.
pub const UNNAMED_NAME: &str = "Author";

/// A member of the staff (specification 2.3). The e-mail address is never shown through the Content API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// The record's identifier.
    pub id: Id,
    /// The last part of the author page's address, unique among users.
    pub slug: Box<str>,
    /// What readers see.
    pub name: Box<str>,
    /// Where to write to, and later the name to sign in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: OptionalText,
    /// What the person may do.
    #[serde(default, skip_serializing_if = "Role::is_default")]
    pub role: Role,
    /// Whether the person may sign in.
    #[serde(default, skip_serializing_if = "UserStatus::is_default")]
    pub status: UserStatus,
    /// The language that the person works in, when not the site's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: OptionalText,
    /// When the person was last there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Address of a portrait, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_image: OptionalText,
    /// Address of a wide picture, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: OptionalText,
    /// A few words about the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bio: OptionalText,
    /// Address of a site elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: OptionalText,
    /// Where the person lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: OptionalText,
    /// Accounts elsewhere.
    #[serde(default, skip_serializing_if = "SocialAccounts::is_empty")]
    pub social: SocialAccounts,
    /// Title for search engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta_title: OptionalText,
    /// Description for search engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta_description: OptionalText,
    /// What the person is written to about.
    #[serde(default, skip_serializing_if = "Notifications::is_default")]
    pub notifications: Notifications,
    /// How the editor looks to the person: JSON of the editor's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility: OptionalText,
    /// What the editor has explained to the person already: JSON of the editor's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tour: OptionalText,
    /// The content file it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: SourceFile,
    /// The account is only there because a content file named its author, and goes when none does any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implied: bool,
    /// Added as the author of posts that a key wrote before the site had users. Becomes the owner when the site is set up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_in: bool,
}

/// What a user is written to about (defaults as recorded from Ghost 6.65).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notifications {
    /// Comments on the own posts.
    pub comments: bool,
    /// New members who pay nothing.
    pub free_signups: bool,
    /// Members who begin to pay.
    pub paid_starts: bool,
    /// Members who stop paying.
    pub paid_cancellations: bool,
    /// Other sites that link to this one.
    pub mentions: bool,
    /// Other sites that recommend this one.
    pub recommendations: bool,
    /// Round numbers of members and of income.
    pub milestones: bool,
    /// Donations.
    pub donations: bool,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            comments: true,
            free_signups: true,
            paid_starts: true,
            paid_cancellations: false,
            mentions: true,
            recommendations: true,
            milestones: true,
            donations: true,
        }
    }
}

impl Notifications {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a user may sign in (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserStatus {
    /// Yes.
    #[default]
    #[serde(rename = "active")]
    Active,
    /// Yes, after one wrong password.
    #[serde(rename = "warn-1")]
    WarnedOnce,
    /// Yes, after two wrong passwords.
    #[serde(rename = "warn-2")]
    WarnedTwice,
    /// Yes, after three wrong passwords.
    #[serde(rename = "warn-3")]
    WarnedThrice,
    /// Yes, after four wrong passwords.
    #[serde(rename = "warn-4")]
    WarnedFourTimes,
    /// No: suspended.
    #[serde(rename = "inactive")]
    Inactive,
    /// Not until a new password was set.
    #[serde(rename = "locked")]
    Locked,
}

impl UserStatus {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Active,
        Self::WarnedOnce,
        Self::WarnedTwice,
        Self::WarnedThrice,
        Self::WarnedFourTimes,
        Self::Inactive,
        Self::Locked,
    ];

    /// The word for it on the wire and in exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::WarnedOnce => "warn-1",
            Self::WarnedTwice => "warn-2",
            Self::WarnedThrice => "warn-3",
            Self::WarnedFourTimes => "warn-4",
            Self::Inactive => "inactive",
            Self::Locked => "locked",
        }
    }

    /// The status called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Accounts at other services, each as its owner wrote it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SocialAccounts {
    /// Page on Facebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facebook: OptionalText,
    /// Handle on X.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twitter: OptionalText,
    /// Handle on Threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: OptionalText,
    /// Handle on Bluesky.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bluesky: OptionalText,
    /// Address on a Mastodon server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mastodon: OptionalText,
    /// Handle on TikTok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiktok: OptionalText,
    /// Channel on YouTube.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub youtube: OptionalText,
    /// Handle on Instagram.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instagram: OptionalText,
    /// Profile on LinkedIn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linkedin: OptionalText,
}

impl SocialAccounts {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl User {
    /// What stands in exports for the e-mail address of a user who has none: Ghost takes nobody without one (Ghost 6.65,
    /// recorded).
    pub fn stand_in_email(slug: &str) -> String {
        format!("{slug}@{STAND_IN_HOST}")
    }

    /// Whether an e-mail address only stands for one.
    pub fn is_stand_in_email(email: &str) -> bool {
        email
            .rsplit_once('@')
            .is_some_and(|(_, host)| host == STAND_IN_HOST)
    }

    /// The same author with the account of `known`: everything that content files do not say. An e-mail address that the
    /// file does not have is the account's as well.
    pub fn with_account_of(self, known: &Self) -> Self {
        Self {
            email: self.email.or_else(|| known.email.clone()),
            role: known.role,
            status: known.status,
            locale: known.locale.clone(),
            last_seen: known.last_seen,
            notifications: known.notifications,
            accessibility: known.accessibility.clone(),
            tour: known.tour.clone(),
            stands_in: known.stands_in,
            ..self
        }
    }

    /// Whether readers see the author otherwise as `after` than as this: what is only the account's is not shown to them.
    pub fn is_seen_otherwise_as(&self, after: &Self) -> bool {
        let seen = Self {
            email: None,
            updated_at: self.updated_at,
            implied: self.implied,
            stands_in: self.stands_in,
            source: self.source.clone(),
            ..after.clone()
        };
        // With the account of before, only what readers see still differs.
        seen.with_account_of(self) != *self
    }

    /// A user who is known by name alone.
    pub fn new(id: Id, slug: &str, name: &str, now: Timestamp) -> Self {
        Self {
            id,
            slug: slug.into(),
            name: name.into(),
            email: None,
            role: Role::default(),
            status: UserStatus::default(),
            locale: None,
            last_seen: None,
            created_at: now,
            updated_at: now,
            profile_image: None,
            cover_image: None,
            bio: None,
            website: None,
            location: None,
            social: SocialAccounts::default(),
            meta_title: None,
            meta_description: None,
            notifications: Notifications::default(),
            accessibility: None,
            tour: None,
            source: None,
            implied: false,
            stands_in: false,
        }
    }

    /// Returns the author of a site that has no users.
    pub fn standing_in(id: Id, now: Timestamp) -> Self {
        Self {
            stands_in: true,
            ..Self::new(id, UNNAMED_SLUG, UNNAMED_NAME, now)
        }
    }
}
