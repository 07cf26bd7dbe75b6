//! Permissions of each role and of integrations.
//!
//! The permissions for a kind of record are defined next to the record; the others are in this
//! module. Together they form the table in `docs/admin-api.md`. They are the permissions observed
//! in Ghost 6.65. Permissions of integrations that are not in the list of the specification (part
//! 4.3) are [`Right::BeyondSpecification`]. Each row is a constant, so that an endpoint names the permission that
//! it needs and the compiler checks that the permission exists. Rights that depend on the record
//! ("own posts", "roles below") are decided where the record is available.

use super::{
    actor::{Actor, SignInMethod},
    integration::IntegrationScope,
    role::Role,
};
use crate::error::{Error, Kind, Result};

/// The extent of a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// On every record.
    Yes,
    /// On no record.
    No,
    /// On posts with the user as an author; for webhooks, on those of the acting integration.
    Own,
    /// On drafts with the user as an author.
    OwnDrafts,
    /// For users and roles: on every role except the owner.
    Below,
    /// For users and roles: on authors and contributors only.
    Writers,
    /// Only with a session, not with a staff token (specification 5.2, rule 4).
    SessionOnly,
    /// For integrations whose scope is not limited to the specification: the additional permissions of Ghost 6.
    BeyondSpecification,
}

/// One row of the table: an operation, and the right of each role.
#[derive(Debug)]
pub struct Permission {
    /// The resource, plural.
    pub resource: &'static str,
    /// The operation.
    pub act: &'static str,
    /// The right of each role, in the order of the table's columns, and of integrations.
    rights: [Right; 7],
}

/// Defines a constant for each row. Columns: Owner, Administrator, Super Editor, Editor, Author,
/// Contributor, Integration.
macro_rules! permissions {
    ($($name:ident: $resource:literal, $act:literal => $($right:ident),*;)*) => {
        $(
            #[doc = concat!("To ", $act, ": ", $resource, ".")]
            pub(crate) static $name: $crate::domain::permission::Permission = {
                use $crate::domain::permission::{Permission, Right::*};
                Permission::of($resource, $act, [$($right),*])
            };
        )*
    };
}

pub(crate) use permissions;

permissions! {
    SITE_READ: "site", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    CONFIG_READ: "config", "read" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    IMAGES_UPLOAD: "images", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    MEDIA_UPLOAD: "media", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    FILES_UPLOAD: "files", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    INTEGRATIONS_BROWSE: "integrations", "browse" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_READ: "integrations", "read" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_ADD: "integrations", "add" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_EDIT: "integrations", "edit" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_DELETE: "integrations", "delete" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_KEYS: "integrations", "keys" => Yes, Yes, No, No, No, No, No;
    GIT_READ: "git", "read" => Yes, Yes, No, No, No, No, Yes;
    GIT_SYNC: "git", "sync" => Yes, Yes, No, No, No, No, Yes;
    SLUGS_GENERATE: "slugs", "generate" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    OEMBED_READ: "oembed", "read" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    EMAIL_PREVIEWS_READ: "email_previews", "read" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    EMAIL_PREVIEWS_SEND: "email_previews", "send" => Yes, Yes, Yes, Yes, No, No, No;
    REDIRECTS_DOWNLOAD: "redirects", "download" => Yes, Yes, No, No, No, No, No;
    REDIRECTS_UPLOAD: "redirects", "upload" => Yes, Yes, No, No, No, No, No;
    ROUTES_DOWNLOAD: "routes", "download" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    ROUTES_UPLOAD: "routes", "upload" => Yes, Yes, No, No, No, No, No;
    DB_EXPORT: "db", "export" => Yes, Yes, No, No, No, No, No;
    DB_IMPORT: "db", "import" => Yes, Yes, No, No, No, No, No;
    STATS_MEMBER_COUNT: "stats", "member_count" => Yes, Yes, Yes, No, No, No, No;
    STATS_BROWSE: "stats", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    STATS_POSTS: "stats", "count by post" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    COMMENTS_BROWSE: "comments", "browse" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    COMMENTS_EDIT: "comments", "edit" => Yes, Yes, Yes, No, No, No, BeyondSpecification;
    LINKS_BROWSE: "links", "browse" => Yes, Yes, No, No, No, No, No;
    LINKS_EDIT: "links", "edit" => Yes, Yes, No, No, No, No, No;
    GIFT_LINKS_BROWSE: "gift_links", "browse" => Yes, Yes, Yes, Yes, No, No, BeyondSpecification;
    FEEDBACK_BROWSE: "feedback", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    MENTIONS_BROWSE: "mentions", "browse" => Yes, Yes, No, No, No, No, No;
    INCOMING_RECOMMENDATIONS_BROWSE: "incoming_recommendations", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    AUTOMATED_EMAILS_BROWSE: "automated_emails", "browse" => Yes, Yes, No, No, No, No, No;
    AUTOMATIONS_BROWSE: "automations", "browse" => Yes, Yes, No, No, No, No, No;
    IDENTITIES_READ: "identities", "read" => Yes, Yes, No, No, No, No, No;
    TINYBIRD_TOKEN: "tinybird", "token" => Yes, Yes, Yes, No, No, No, No;
    SLACK_TEST: "slack", "test" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    SEARCH_INDEX_BROWSE: "search-index", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    CUSTOM_THEME_SETTINGS_BROWSE: "custom_theme_settings", "browse" => Yes, Yes, No, No, No, No, No;
    CUSTOM_THEME_SETTINGS_EDIT: "custom_theme_settings", "edit" => Yes, Yes, No, No, No, No, No;
    ROLES_BROWSE: "roles", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    ROLES_BROWSE_ASSIGNABLE: "roles", "browse assignable" => Yes, Yes, Yes, Yes, Yes, Yes, BeyondSpecification;
    EVERYTHING_DELETE_ALL_CONTENT: "everything", "delete all content" => SessionOnly, SessionOnly, No, No, No, No, No;
    EVERYTHING_RESET_ALL_PASSWORDS: "everything", "reset all passwords" => SessionOnly, SessionOnly, No, No, No, No, No;
}

impl Permission {
    /// Returns the row with these rights.
    pub(crate) const fn of(resource: &'static str, act: &'static str, rights: [Right; 7]) -> Self {
        Self {
            resource,
            act,
            rights,
        }
    }

    /// Returns the right of a role.
    pub fn of_role(&self, role: Role) -> Right {
        // The variants of `Role` are in the order of the columns.
        self.rights[role as usize]
    }

    /// Returns the right of integrations.
    pub fn of_integrations(&self) -> Right {
        self.rights[6]
    }

    /// Returns the right of `actor`. The result is never [`Right::No`], [`Right::SessionOnly`] or
    /// [`Right::BeyondSpecification`], which are resolved here.
    ///
    /// # Errors
    ///
    /// `NoPermission` if the actor has no right.
    pub fn admit(&self, actor: &Actor) -> Result<Right> {
        let right = match actor {
            Actor::Operator => Right::Yes,
            Actor::Integration { scope, .. } => match (self.of_integrations(), scope) {
                (Right::BeyondSpecification, IntegrationScope::Specification) => Right::No,
                // The scope `read` has the same rows; `refuse_reader` rejects its changes.
                (Right::BeyondSpecification, _) => Right::Yes,
                (right, _) => right,
            },
            Actor::User { role, method, .. } => match (self.of_role(*role), method) {
                (Right::SessionOnly, SignInMethod::Session) => Right::Yes,
                (Right::SessionOnly, SignInMethod::StaffToken) => Right::No,
                (right, _) => right,
            },
        };
        match right {
            Right::No => Err(self.refusal()),
            right => Ok(right),
        }
    }

    /// Rejects a key with the scope "read", for a request that changes something or lets the client
    /// act as another user.
    ///
    /// # Errors
    ///
    /// `NoPermission` for such a key.
    pub fn refuse_reader(&self, actor: &Actor) -> Result<()> {
        match actor {
            Actor::Integration {
                scope: IntegrationScope::Read,
                ..
            } => Err(self.refusal().context("The scope of the key is \"read\".")),
            _ => Ok(()),
        }
    }

    /// Returns the error for an actor without the right.
    pub fn refusal(&self) -> Error {
        Error::new(
            Kind::NoPermission,
            format!("You may not {} here: {}.", self.act, self.resource),
        )
        .help("docs/admin-api.md lists the permissions of each role.")
    }
}

impl Right {
    /// Returns whether the right extends to users of `role`, and to assigning that role.
    pub fn covers_role(self, role: Role) -> bool {
        match self {
            Self::Yes => true,
            Self::Below => role != Role::Owner,
            Self::Writers => matches!(role, Role::Author | Role::Contributor),
            Self::No
            | Self::Own
            | Self::OwnDrafts
            | Self::SessionOnly
            | Self::BeyondSpecification => false,
        }
    }
}
