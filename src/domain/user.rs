//! Staff users. The Content API knows those who have published as authors.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, SourceFile};
use crate::id::Id;

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
    /// The content file it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: SourceFile,
    /// The account is only there because a content file named its author, and goes when none does any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implied: bool,
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
    /// A user who is known by name alone.
    pub fn new(id: Id, slug: &str, name: &str, now: Timestamp) -> Self {
        Self {
            id,
            slug: slug.into(),
            name: name.into(),
            email: None,
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
            source: None,
            implied: false,
        }
    }
}
