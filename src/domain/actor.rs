//! Who makes a change or asks for what is not public.

use super::{integration::IntegrationScope, role::Role};
use crate::id::Id;

/// Who acts (specification 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A program with an Admin API key.
    Integration {
        /// The integration's record.
        id: Id,
        /// How much it reaches.
        scope: IntegrationScope,
    },
    /// A member of the staff.
    User {
        /// The user's record.
        id: Id,
        /// What the user may do.
        role: Role,
        /// How the user came in.
        means: Means,
    },
    /// Whoever has the machine: the command line.
    Operator,
}

/// How a member of the staff came in. What is allowed by token is a little less than what is allowed in person
/// (specification 5.2, rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// With a cookie, after signing in.
    Session,
    /// With a token made from the user's own key.
    StaffToken,
}

impl Actor {
    /// The user who acts, if it is one.
    pub fn user(&self) -> Option<Id> {
        match self {
            Self::User { id, .. } => Some(*id),
            Self::Integration { .. } | Self::Operator => None,
        }
    }

    /// The role of the user who acts, if it is one.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::User { role, .. } => Some(*role),
            Self::Integration { .. } | Self::Operator => None,
        }
    }
}
