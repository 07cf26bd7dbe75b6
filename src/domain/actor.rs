//! Actors: the authenticated party behind a change or a request for non-public content.

use super::{integration::IntegrationScope, role::Role};
use crate::id::Id;

/// The authenticated party (specification 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// An integration with an Admin API key.
    Integration {
        /// The integration's record.
        id: Id,
        /// The scope of its key.
        scope: IntegrationScope,
    },
    /// A staff user.
    User {
        /// The user's record.
        id: Id,
        /// The user's role.
        role: Role,
        /// The authentication method of the user.
        method: SignInMethod,
    },
    /// The operator, who has access to the machine: the command line.
    Operator,
}

/// The authentication method of a staff user. A token grants slightly fewer rights than a session
/// (specification 5.2, rule 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInMethod {
    /// With a session cookie, after signing in.
    Session,
    /// With a staff access token.
    StaffToken,
}

impl Actor {
    /// Returns the user's identifier, if the actor is a user.
    pub fn user(&self) -> Option<Id> {
        match self {
            Self::User { id, .. } => Some(*id),
            Self::Integration { .. } | Self::Operator => None,
        }
    }

    /// Returns the user's role, if the actor is a user.
    pub fn role(&self) -> Option<Role> {
        match self {
            Self::User { role, .. } => Some(*role),
            Self::Integration { .. } | Self::Operator => None,
        }
    }
}
