//! Commands about accounts, and accounts in replies.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::{role::Role, session::Session, user::User};

/// A command about accounts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountCommand {
    /// Add an account.
    Add {
        /// The name that readers see.
        name: String,
        /// The e-mail address for sign-in.
        email: String,
        /// The role.
        role: Role,
        /// The password for sign-in.
        password: TypedPassword,
    },
    /// List all accounts.
    List,
    /// Set another password.
    ResetPassword {
        /// The user: an e-mail address, a slug or an identifier.
        name: String,
        /// The password.
        password: TypedPassword,
    },
    /// List the sessions of a user.
    Sessions {
        /// The user: an e-mail address, a slug or an identifier.
        name: String,
    },
    /// End all sessions.
    SignOut {
        /// The user: an e-mail address, a slug or an identifier.
        name: String,
    },
}

/// A typed password that is sent to the process that hashes it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypedPassword(pub String);

impl fmt::Debug for TypedPassword {
    /// Writes no content, so that passwords do not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedPassword(…)")
    }
}

/// A staff member, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Account {
    /// The user's identifier.
    pub id: String,
    /// The name that readers see.
    pub name: String,
    /// The slug, the last segment of the author page's URL.
    pub slug: String,
    /// The e-mail address for sign-in, if there is one.
    pub email: Option<String>,
    /// The name of the role.
    pub role: String,
    /// The user's state: active, locked or inactive.
    pub status: String,
    /// Time at which the user was last seen.
    pub last_seen: Option<Timestamp>,
    /// The content file that describes this user, if there is one.
    pub file: Option<String>,
}

/// A session, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SessionReport {
    /// The session's identifier, which is not a credential.
    pub id: String,
    /// The browser's user agent, if known.
    pub user_agent: Option<String>,
    /// The origin of the page where the user signed in.
    pub origin: String,
    /// Time of the sign-in.
    pub created_at: Timestamp,
    /// Time of the last use, to the day.
    pub last_used_at: Timestamp,
    /// Time at which the session ends at the latest.
    pub ends_at: Timestamp,
}

impl SessionReport {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            id: session.id.to_string(),
            user_agent: session.user_agent.as_deref().map(str::to_owned),
            origin: session.origin.to_string(),
            created_at: session.created_at,
            last_used_at: session.last_used_at,
            ends_at: session.ends_at(),
        }
    }
}

impl Account {
    pub(super) fn of(user: &User) -> Self {
        Self {
            id: user.id.to_string(),
            name: user.name.to_string(),
            slug: user.slug.to_string(),
            email: user.email.as_deref().map(str::to_owned),
            role: user.role.name().to_owned(),
            status: user.status.name().to_owned(),
            last_seen: user.last_seen,
            file: user.origin.path().map(str::to_owned),
        }
    }
}
