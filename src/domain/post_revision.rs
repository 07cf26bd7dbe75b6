//! Revisions: former states of a post, as saved.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    OptionalText,
    post::{Post, Status},
};
use crate::id::Id;

/// Maximum number of revisions stored for a post; the oldest are removed first.
pub const REVISIONS_MAX: usize = 25;

/// A former state of a post, without its document, which is stored separately.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostRevision {
    /// The record's identifier.
    pub id: Id,
    /// The post.
    pub post: Id,
    /// Time of saving.
    pub created_at: Timestamp,
    /// The user who saved the post, if the actor was a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Id>,
    /// The reason for storing the revision.
    pub reason: RevisionReason,
    /// The earlier revision with the same document; `None` if the document is stored for this
    /// revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Id>,
    /// The title.
    pub title: Box<str>,
    /// The publication status.
    pub status: Status,
    /// URL of the feature image, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image: OptionalText,
    /// Alternative text of the feature image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image_alt: OptionalText,
    /// Caption of the feature image, as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image_caption: OptionalText,
    /// The excerpt that the author wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_excerpt: OptionalText,
}

/// The reason for storing a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionReason {
    /// It is the first revision.
    InitialRevision,
    /// The author saved the post explicitly.
    ExplicitSave,
    /// Enough time had passed since the previous revision.
    BackgroundSave,
    /// The post was published, or saved while it was published.
    Published,
    /// The post was unpublished.
    Unpublished,
}

impl RevisionReason {
    /// Returns the name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::InitialRevision => "initial_revision",
            Self::ExplicitSave => "explicit_save",
            Self::BackgroundSave => "background_save",
            Self::Published => "published",
            Self::Unpublished => "unpublished",
        }
    }
}

impl PostRevision {
    /// Returns a revision with the present state of the post.
    pub fn of(
        post: &Post,
        id: Id,
        reason: RevisionReason,
        author: Option<Id>,
        created_at: Timestamp,
    ) -> Self {
        let meta = post.meta.as_deref();
        Self {
            id,
            post: post.id,
            created_at,
            author,
            reason,
            document: None,
            title: post.title.clone(),
            status: post.status,
            feature_image: post.feature_image.clone(),
            feature_image_alt: meta.and_then(|meta| meta.feature_image_alt.clone()),
            feature_image_caption: meta.and_then(|meta| meta.feature_image_caption.clone()),
            custom_excerpt: post.custom_excerpt.clone(),
        }
    }

    /// Returns the revision under whose identifier its document is stored.
    pub fn document_id(&self) -> Id {
        self.document.unwrap_or(self.id)
    }
}
