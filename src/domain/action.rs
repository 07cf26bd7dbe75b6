//! Actions: who did what to which record, and when.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::actor::Actor;
use crate::id::Id;

/// Something that was done (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The record's identifier.
    pub id: Id,
    /// What it was done to; that record may be gone by now.
    pub resource_id: Id,
    /// The kind of that record, singular: `post`, `tag`, `user`.
    pub resource_type: Box<str>,
    /// Who did it.
    pub actor: ActionActor,
    /// What was done.
    pub event: ActionEvent,
    /// What the record was called then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// For posts and pages, which of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Box<str>>,
    /// How many records it was done to at once, when it was a bulk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// When.
    pub created_at: Timestamp,
}

/// Who did something, as the record keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionActor {
    /// A member of the staff.
    User(Id),
    /// A program.
    Integration(Id),
    /// Whoever has the machine.
    Operator,
}

impl From<&Actor> for ActionActor {
    fn from(actor: &Actor) -> Self {
        match actor {
            Actor::User { id, .. } => Self::User(*id),
            Actor::Integration { id, .. } => Self::Integration(*id),
            Actor::Operator => Self::Operator,
        }
    }
}

/// What was done to a record (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionEvent {
    /// It was made.
    Added,
    /// It was changed.
    Edited,
    /// It was deleted.
    Deleted,
    /// It got a new secret.
    Refreshed,
    /// It came from elsewhere.
    Imported,
}

impl ActionEvent {
    /// The word for it on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Deleted => "deleted",
            Self::Refreshed => "refreshed",
            Self::Imported => "imported",
        }
    }
}

/// What something was done to.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The record.
    pub id: Id,
    /// Its kind, singular.
    pub resource_type: &'static str,
    /// What it is called.
    pub name: Option<&'a str>,
    /// For posts and pages, which of the two.
    pub kind: Option<&'static str>,
}

impl Subject<'_> {
    /// All posts, pages and tags at once.
    pub fn whole_content() -> Self {
        Self {
            id: Id::derive("content", "all"),
            resource_type: "content",
            name: None,
            kind: None,
        }
    }
}
