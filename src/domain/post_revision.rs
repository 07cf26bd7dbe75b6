//! Revisions: what a post was when it was saved.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    OptionalText,
    post::{Post, Status},
};
use crate::id::Id;

/// Most revisions that are kept of one post; the oldest go first.
pub const REVISIONS_MAX: usize = 25;

/// What a post was when it was saved, without its document, which the store keeps apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PostRevision {
    /// The record's identifier.
    pub id: Id,
    /// The post.
    pub post: Id,
    /// When it was saved.
    pub created_at: Timestamp,
    /// Who saved it, if it was a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Id>,
    /// Why it was kept.
    pub reason: RevisionReason,
    /// The earlier revision whose document it shares; `None` for one with a document of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Id>,
    /// The headline.
    pub title: Box<str>,
    /// How far it had come.
    pub status: Status,
    /// Address of the picture on top, in stored form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image: OptionalText,
    /// Alternative text of that picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image_alt: OptionalText,
    /// Caption of that picture, as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_image_caption: OptionalText,
    /// A summary in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_excerpt: OptionalText,
}

/// Why a revision was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionReason {
    /// It is the first.
    InitialRevision,
    /// Its author asked for it.
    ExplicitSave,
    /// A while had passed since the one before.
    BackgroundSave,
    /// It went public, or was saved while it was.
    Published,
    /// It was taken back.
    Unpublished,
}

impl RevisionReason {
    /// The word for it on the wire.
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
    /// The post as it is.
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

    /// The revision under whose identifier its document is stored.
    pub fn document_id(&self) -> Id {
        self.document.unwrap_or(self.id)
    }
}
