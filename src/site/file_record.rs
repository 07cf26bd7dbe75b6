//! A record as described by its content file.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::{
    newsletter::Newsletter, origin::RecordOrigin, tag::Tag, tier::Tier, user::User,
};

/// A record of a content file other than a post.
#[derive(Clone, Debug, PartialEq)]
pub enum FileRecord {
    /// Settings: either all settings of a file, or the changed ones, where null removes a setting.
    Settings(BTreeMap<String, Value>),
    /// A tag.
    Tag(Box<Tag>),
    /// An author.
    User(Box<User>),
    /// A tier.
    Tier(Box<Tier>),
    /// A newsletter.
    Newsletter(Box<Newsletter>),
}

impl FileRecord {
    /// Returns the record's origin. Settings are a single record of the store.
    pub fn origin(&self) -> &RecordOrigin {
        match self {
            Self::Settings(_) => &RecordOrigin::Store,
            Self::Tag(tag) => &tag.origin,
            Self::User(user) => &user.origin,
            Self::Tier(tier) => &tier.origin,
            Self::Newsletter(newsletter) => &newsletter.origin,
        }
    }

    /// Returns the record with the date of the last change of `edited`, which is the same record.
    pub fn changed_with(mut self, edited: &Self) -> Self {
        match (&mut self, edited) {
            (Self::Tag(own), Self::Tag(edited)) => own.updated_at = edited.updated_at,
            (Self::User(own), Self::User(edited)) => own.updated_at = edited.updated_at,
            (Self::Tier(own), Self::Tier(edited)) => own.updated_at = edited.updated_at,
            (Self::Newsletter(own), Self::Newsletter(edited)) => {
                own.updated_at = edited.updated_at;
            }
            _ => {}
        }
        self
    }

    /// Returns whether the record's file would have to change to describe `edited`.
    pub(super) fn differs_in_file(&self, edited: &Self) -> bool {
        match (self, edited) {
            (Self::User(user), Self::User(edited)) => user.differs_in_file(edited),
            _ => self != edited,
        }
    }

    /// Returns the record's display name.
    pub(super) fn title(&self) -> &str {
        match self {
            Self::Settings(_) => "Settings",
            Self::Tag(tag) => &tag.name,
            Self::User(user) => &user.name,
            Self::Tier(tier) => &tier.name,
            Self::Newsletter(newsletter) => &newsletter.name,
        }
    }
}
