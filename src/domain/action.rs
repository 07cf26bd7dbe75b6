//! The audit log: the actor, the action, the record and the time of each change.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{actor::Actor, permission::permissions};
use crate::id::Id;

permissions! {
    ACTIONS_BROWSE: "actions", "browse" => Yes, Yes, No, No, No, No, BeyondSpecification;
}

/// An entry of the audit log (Ghost 6.65, recorded).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The record's identifier.
    pub id: Id,
    /// The record that was acted on, which may have been deleted since.
    pub resource_id: Id,
    /// The resource type of that record, singular: `post`, `tag`, `user`.
    pub resource_type: Box<str>,
    /// The actor.
    pub actor: ActionActor,
    /// The kind of action.
    pub event: ActionEvent,
    /// The name of the record at the time of the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// `post` or `page`, for posts and pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Box<str>>,
    /// The number of records, for a bulk action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The fields of the request that were ignored, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_fields: Vec<Box<str>>,
    /// The time of the action.
    pub created_at: Timestamp,
}

/// The actor of an action, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionActor {
    /// A staff user.
    User(Id),
    /// An integration.
    Integration(Id),
    /// The operator, who has access to the machine.
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

/// The kind of an action (Ghost 6.65, recorded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionEvent {
    /// The record was created.
    Added,
    /// The record was edited.
    Edited,
    /// The record was deleted.
    Deleted,
    /// The record got a new secret.
    Refreshed,
    /// The record was imported.
    Imported,
}

impl ActionEvent {
    /// Returns the name on the wire.
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
