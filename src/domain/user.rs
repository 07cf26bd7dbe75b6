//! Staff users. The Content API shows those with published posts as authors.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    OptionalText, origin::RecordOrigin, permission::permissions, record::record, role::Role,
};
use crate::id::Id;

/// The host of placeholder e-mail addresses in exports, for users without an address. `.invalid`
/// hosts never exist (RFC 6761).
const PLACEHOLDER_HOST: &str = "authors.invalid";

/// The slug of the default author, on a site without any users.
pub const DEFAULT_AUTHOR_SLUG: &str = "author";

/// The name of the default author.
pub const DEFAULT_AUTHOR_NAME: &str = "Author";

/// A staff user (specification 2.3). The Content API never shows the e-mail address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// The record's identifier.
    pub id: Id,
    /// The last segment of the author page's URL, unique among users.
    pub slug: Box<str>,
    /// The name that readers see.
    pub name: Box<str>,
    /// The e-mail address, which is also the name to sign in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: OptionalText,
    /// The user's role.
    #[serde(default, skip_serializing_if = "Role::is_default")]
    pub role: Role,
    /// The user's state.
    #[serde(default, skip_serializing_if = "UserStatus::is_default")]
    pub status: UserStatus,
    /// The language of the admin app, if not the site's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: OptionalText,
    /// Time at which the user was last seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<Timestamp>,
    /// Time at which the account was created.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// URL of a portrait, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_image: OptionalText,
    /// URL of a wide image, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: OptionalText,
    /// A short biography.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bio: OptionalText,
    /// URL of the user's site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: OptionalText,
    /// The user's location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: OptionalText,
    /// Accounts on other services.
    #[serde(default, skip_serializing_if = "SocialAccounts::is_empty")]
    pub social: SocialAccounts,
    /// Title for search engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta_title: OptionalText,
    /// Description for search engines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta_description: OptionalText,
    /// The notifications that the user gets by mail.
    #[serde(default, skip_serializing_if = "Notifications::is_default")]
    pub notifications: Notifications,
    /// Preferences of the admin app, as JSON in a format of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility: OptionalText,
    /// State of the introduction in the admin app, as JSON in a format of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tour: OptionalText,
    /// The content file that the user comes from, if any.
    #[serde(
        rename = "source",
        default,
        skip_serializing_if = "RecordOrigin::is_store"
    )]
    pub origin: RecordOrigin,
    /// True if the account exists only because content files name the author. It is removed when no
    /// file names the author any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implied: bool,
    /// True if the account is a placeholder, added as the author of posts that an integration wrote
    /// before the site had users. It becomes the owner when the site is set up.
    #[serde(
        rename = "stands_in",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_placeholder: bool,
}

record!(User, "user", |user| &user.name, |user| &user.slug);

permissions! {
    USERS_BROWSE: "users", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    USERS_READ: "users", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    USERS_EDIT_SELF: "users", "edit self" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    USERS_EDIT_OTHERS: "users", "edit others" => Below, Below, Writers, Writers, No, No, No;
    USERS_DELETE_OTHERS: "users", "delete others" => Below, Below, Writers, Writers, No, No, No;
    USERS_ASSIGN_ROLES: "users", "assign roles" => Below, Below, Writers, Writers, No, No, No;
    USERS_CHANGE_OWN_ROLE: "users", "change own role" => No, No, No, No, No, No, No;
    USERS_SUSPEND: "users", "suspend" => Below, Below, Writers, Writers, No, No, No;
    USERS_PASSWORD_OF_OTHERS: "users", "password of others" => Yes, Yes, Writers, Writers, No, No, No;
    USERS_OWN_TOKEN: "users", "own token" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    USERS_TOKENS_OF_OTHERS: "users", "tokens of others" => No, No, No, No, No, No, No;
    USERS_TRANSFER_OWNERSHIP: "users", "transfer ownership" => SessionOnly, No, No, No, No, No, No;
}

/// The notifications that a user gets by mail (defaults as recorded from Ghost 6.65).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notifications {
    /// Comments on the user's posts.
    pub comments: bool,
    /// New free members.
    pub free_signups: bool,
    /// New paid members.
    pub paid_starts: bool,
    /// Cancelled paid memberships.
    pub paid_cancellations: bool,
    /// Other sites that link to this one.
    pub mentions: bool,
    /// Other sites that recommend this one.
    pub recommendations: bool,
    /// Milestones of members and revenue.
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

/// The status of a user, which determines whether the user can sign in (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserStatus {
    /// The user can sign in.
    #[default]
    #[serde(rename = "active")]
    Active,
    /// The user can sign in; there was one wrong password.
    #[serde(rename = "warn-1")]
    WarnedOnce,
    /// The user can sign in; there were two wrong passwords.
    #[serde(rename = "warn-2")]
    WarnedTwice,
    /// The user can sign in; there were three wrong passwords.
    #[serde(rename = "warn-3")]
    WarnedThrice,
    /// The user can sign in; there were four wrong passwords.
    #[serde(rename = "warn-4")]
    WarnedFourTimes,
    /// The user is suspended and cannot sign in.
    #[serde(rename = "inactive")]
    Inactive,
    /// The user cannot sign in until a new password is set.
    #[serde(rename = "locked")]
    Locked,
}

impl UserStatus {
    /// All statuses.
    pub const ALL: [Self; 7] = [
        Self::Active,
        Self::WarnedOnce,
        Self::WarnedTwice,
        Self::WarnedThrice,
        Self::WarnedFourTimes,
        Self::Inactive,
        Self::Locked,
    ];

    /// Returns the name on the wire and in exports.
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

    /// Returns the status called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Accounts on other services, each as entered.
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
    /// Handle on a Mastodon server.
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
    /// Returns the placeholder e-mail address in exports for a user without an address, since Ghost
    /// rejects users without one (Ghost 6.65, recorded).
    pub fn placeholder_email(slug: &str) -> String {
        format!("{slug}@{PLACEHOLDER_HOST}")
    }

    /// Returns whether an e-mail address is a placeholder from an export.
    pub fn is_placeholder_email(email: &str) -> bool {
        email
            .rsplit_once('@')
            .is_some_and(|(_, host)| host == PLACEHOLDER_HOST)
    }

    /// Returns the same author with the account fields of `known`, which content files do not have.
    /// The account's e-mail address is used if the file has none.
    pub fn with_account_of(self, known: &Self) -> Self {
        // A new field of the account must be listed here. Otherwise each pass over the content
        // files would reset it.
        Self {
            email: self.email.or_else(|| known.email.clone()),
            role: known.role,
            status: known.status,
            locale: known.locale.clone(),
            last_seen: known.last_seen,
            notifications: known.notifications,
            accessibility: known.accessibility.clone(),
            tour: known.tour.clone(),
            is_placeholder: known.is_placeholder,
            ..self
        }
    }

    /// Returns whether the change of this author to `after` affects the author's content file. A
    /// change of a known email address counts, because the address may come from the file; a newly
    /// added address does not.
    pub fn differs_in_file(&self, after: &Self) -> bool {
        self.differs_for_readers(after) || self.email.is_some() && self.email != after.email
    }

    /// Returns whether readers see a difference between this author and `after`. Fields of the
    /// account are ignored, since they are not public.
    pub fn differs_for_readers(&self, after: &Self) -> bool {
        let seen = Self {
            email: None,
            updated_at: self.updated_at,
            implied: self.implied,
            is_placeholder: self.is_placeholder,
            origin: self.origin.clone(),
            ..after.clone()
        };
        // With equal account fields, only public fields can differ.
        seen.with_account_of(self) != *self
    }

    /// Returns whether a change to `after` revokes the user's authentications: a new address, a new
    /// role, or a suspension.
    pub fn revokes_authentications(&self, after: &Self) -> bool {
        let is_suspended = |user: &Self| user.status == UserStatus::Inactive;
        self.email != after.email
            || self.role != after.role
            || (is_suspended(after) && !is_suspended(self))
    }

    /// Returns a user with a name and a slug only.
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
            origin: RecordOrigin::Store,
            implied: false,
            is_placeholder: false,
        }
    }

    /// Returns a placeholder for the owner, the default author of a site without users.
    pub fn placeholder(id: Id, now: Timestamp) -> Self {
        Self {
            is_placeholder: true,
            ..Self::new(id, DEFAULT_AUTHOR_SLUG, DEFAULT_AUTHOR_NAME, now)
        }
    }
}
