//! Permissions: the one table of what each role and integrations may do.
//!
//! It is what Ghost 6.65 was observed to permit; the specification's list (part 4.3) decides the
//! reach of integrations. A row is a constant, so that an endpoint names the permission that it
//! needs and the compiler checks that it exists. Rights that depend on the record ("own posts",
//! "roles below") are decided where the record is at hand.

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
    /// On posts that name the user among their authors; for webhooks, on those of the integration
    /// itself.
    Own,
    /// On drafts that name the user among their authors.
    OwnDrafts,
    /// For users and roles: of every role but the owner's.
    Below,
    /// For users and roles: of authors and contributors only.
    Writers,
    /// Only with a session, not with a staff token (specification 5.2, rule 4).
    SessionOnly,
    /// For integrations whose scope is not limited to the specification: what Ghost 6 permits in
    /// addition.
    Wide,
}

/// One row of the table: an operation, and the right of each role.
#[derive(Debug)]
pub struct Permission {
    /// The resource, plural.
    pub resource: &'static str,
    /// The operation.
    pub act: &'static str,
    owner: Right,
    administrator: Right,
    super_editor: Right,
    editor: Right,
    author: Right,
    contributor: Right,
    integration: Right,
}

macro_rules! permissions {
    ($($name:ident: $resource:literal, $act:literal => $owner:ident, $administrator:ident, $super_editor:ident,
        $editor:ident, $author:ident, $contributor:ident, $integration:ident;)*) => {
        $(
            #[doc = concat!("To ", $act, ": ", $resource, ".")]
            pub static $name: Permission = Permission {
                resource: $resource,
                act: $act,
                owner: Right::$owner,
                administrator: Right::$administrator,
                super_editor: Right::$super_editor,
                editor: Right::$editor,
                author: Right::$author,
                contributor: Right::$contributor,
                integration: Right::$integration,
            };
        )*

        /// Every row.
        pub static PERMISSIONS: &[&Permission] = &[$(&$name),*];
    };
}

// Columns: Owner, Administrator, Super Editor, Editor, Author, Contributor, Integration.
permissions! {
    POSTS_BROWSE: "posts", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    POSTS_READ: "posts", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    POSTS_ADD: "posts", "add" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_EDIT: "posts", "edit" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_PUBLISH: "posts", "publish" => Yes, Yes, Yes, Yes, Own, No, Yes;
    POSTS_CHANGE_AUTHORS: "posts", "change authors" => Yes, Yes, Yes, Yes, No, No, Yes;
    POSTS_CHANGE_VISIBILITY: "posts", "change visibility" => Yes, Yes, Yes, Yes, No, OwnDrafts, Yes;
    POSTS_TAG: "posts", "tag" => Yes, Yes, Yes, Yes, Own, No, Yes;
    POSTS_COPY: "posts", "copy" => Yes, Yes, Yes, Yes, No, No, Yes;
    POSTS_DELETE: "posts", "delete" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    POSTS_BULK_EDIT: "posts", "bulk edit" => Yes, Yes, Yes, Yes, No, No, Wide;
    POSTS_EXPORT: "posts", "export" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    PAGES_BROWSE: "pages", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    PAGES_READ: "pages", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    PAGES_ADD: "pages", "add" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_EDIT: "pages", "edit" => Yes, Yes, Yes, Yes, Own, Own, Yes;
    PAGES_PUBLISH: "pages", "publish" => Yes, Yes, Yes, Yes, Own, No, Yes;
    PAGES_COPY: "pages", "copy" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_DELETE: "pages", "delete" => Yes, Yes, Yes, Yes, Own, OwnDrafts, Yes;
    PAGES_BULK_EDIT: "pages", "bulk edit" => Yes, Yes, Yes, Yes, No, No, Yes;
    PAGES_BULK_DELETE: "pages", "bulk delete" => Yes, Yes, Yes, Yes, No, No, Wide;
    SITE_READ: "site", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    CONFIG_READ: "config", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    TAGS_BROWSE: "tags", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    TAGS_READ: "tags", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    TAGS_ADD: "tags", "add" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TAGS_EDIT: "tags", "edit" => Yes, Yes, Yes, Yes, No, No, Yes;
    TAGS_DELETE: "tags", "delete" => Yes, Yes, Yes, Yes, No, No, Yes;
    TIERS_BROWSE: "tiers", "browse" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TIERS_READ: "tiers", "read" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    TIERS_ADD: "tiers", "add" => Yes, Yes, No, No, No, No, Yes;
    TIERS_EDIT: "tiers", "edit" => Yes, Yes, No, No, No, No, Yes;
    NEWSLETTERS_BROWSE: "newsletters", "browse" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    NEWSLETTERS_READ: "newsletters", "read" => Yes, Yes, Yes, Yes, Yes, No, Yes;
    NEWSLETTERS_ADD: "newsletters", "add" => Yes, Yes, No, No, No, No, Yes;
    NEWSLETTERS_EDIT: "newsletters", "edit" => Yes, Yes, No, No, No, No, Yes;
    OFFERS_BROWSE: "offers", "browse" => Yes, Yes, No, No, No, No, Yes;
    OFFERS_READ: "offers", "read" => Yes, Yes, No, No, No, No, Yes;
    OFFERS_ADD: "offers", "add" => Yes, Yes, No, No, No, No, Yes;
    OFFERS_EDIT: "offers", "edit" => Yes, Yes, No, No, No, No, Yes;
    MEMBERS_BROWSE: "members", "browse" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_READ: "members", "read" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_ADD: "members", "add" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_EDIT: "members", "edit" => Yes, Yes, Yes, No, No, No, Yes;
    MEMBERS_DELETE: "members", "delete" => Yes, Yes, Yes, No, No, No, Wide;
    MEMBERS_EXPORT: "members", "export" => Yes, Yes, Yes, No, No, No, No;
    MEMBERS_EVENTS: "members", "read events" => Yes, Yes, Yes, No, No, No, Wide;
    MEMBERS_METAFIELDS: "members", "browse metafields" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    MEMBERS_STATS: "members", "read stats" => Yes, Yes, Yes, No, No, No, Wide;
    IMAGES_UPLOAD: "images", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    MEDIA_UPLOAD: "media", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    FILES_UPLOAD: "files", "upload" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    THEMES_UPLOAD: "themes", "upload" => Yes, Yes, No, No, No, No, Yes;
    THEMES_ACTIVATE: "themes", "activate" => Yes, Yes, No, No, No, No, Yes;
    THEMES_BROWSE: "themes", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    THEMES_READ_ACTIVE: "themes", "read active" => Yes, Yes, Yes, Yes, Yes, No, No;
    THEMES_DOWNLOAD: "themes", "download" => Yes, Yes, No, No, No, No, No;
    THEMES_DELETE: "themes", "delete" => Yes, Yes, No, No, No, No, No;
    WEBHOOKS_ADD: "webhooks", "add" => Yes, Yes, No, No, No, No, Yes;
    WEBHOOKS_EDIT: "webhooks", "edit" => Yes, Yes, No, No, No, No, Own;
    WEBHOOKS_DELETE: "webhooks", "delete" => Yes, Yes, No, No, No, No, Own;
    INTEGRATIONS_BROWSE: "integrations", "browse" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_READ: "integrations", "read" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_ADD: "integrations", "add" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_EDIT: "integrations", "edit" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_DELETE: "integrations", "delete" => Yes, Yes, No, No, No, No, No;
    INTEGRATIONS_KEYS: "integrations", "keys" => Yes, Yes, No, No, No, No, No;
    GIT_READ: "git", "read" => Yes, Yes, No, No, No, No, Yes;
    GIT_SYNC: "git", "sync" => Yes, Yes, No, No, No, No, Yes;
    SETTINGS_BROWSE: "settings", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    SETTINGS_EDIT: "settings", "edit" => Yes, Yes, No, No, No, No, No;
    LABELS_BROWSE: "labels", "browse" => Yes, Yes, Yes, Yes, Yes, No, Wide;
    LABELS_ADD: "labels", "add" => Yes, Yes, Yes, No, No, No, Wide;
    LABELS_EDIT: "labels", "edit" => Yes, Yes, Yes, No, No, No, Wide;
    LABELS_DELETE: "labels", "delete" => Yes, Yes, Yes, No, No, No, Wide;
    SNIPPETS_BROWSE: "snippets", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    SNIPPETS_ADD: "snippets", "add" => Yes, Yes, Yes, Yes, No, No, No;
    SNIPPETS_EDIT: "snippets", "edit" => Yes, Yes, Yes, Yes, No, No, No;
    SNIPPETS_DELETE: "snippets", "delete" => Yes, Yes, Yes, Yes, No, No, No;
    ACTIONS_BROWSE: "actions", "browse" => Yes, Yes, No, No, No, No, Wide;
    NOTIFICATIONS_BROWSE: "notifications", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    NOTIFICATIONS_ADD: "notifications", "add" => Yes, Yes, Yes, Yes, No, No, No;
    NOTIFICATIONS_DISMISS: "notifications", "dismiss" => Yes, Yes, Yes, Yes, No, No, No;
    SLUGS_GENERATE: "slugs", "generate" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    OEMBED_READ: "oembed", "read" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    EMAIL_PREVIEWS_READ: "email_previews", "read" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    EMAIL_PREVIEWS_SEND: "email_previews", "send" => Yes, Yes, Yes, Yes, No, No, No;
    REDIRECTS_DOWNLOAD: "redirects", "download" => Yes, Yes, No, No, No, No, No;
    REDIRECTS_UPLOAD: "redirects", "upload" => Yes, Yes, No, No, No, No, No;
    ROUTES_DOWNLOAD: "routes", "download" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    ROUTES_UPLOAD: "routes", "upload" => Yes, Yes, No, No, No, No, No;
    DB_EXPORT: "db", "export" => Yes, Yes, No, No, No, No, No;
    DB_IMPORT: "db", "import" => Yes, Yes, No, No, No, No, No;
    STATS_MEMBER_COUNT: "stats", "member_count" => Yes, Yes, No, No, No, No, No;
    STATS_BROWSE: "stats", "browse" => Yes, Yes, No, No, No, No, No;
    STATS_POSTS: "stats", "count by post" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    EMAILS_BROWSE: "emails", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    EMAILS_RETRY: "emails", "retry" => Yes, Yes, Yes, Yes, No, No, No;
    COMMENTS_BROWSE: "comments", "browse" => Yes, Yes, Yes, No, No, No, Wide;
    COMMENTS_EDIT: "comments", "edit" => Yes, Yes, Yes, No, No, No, Wide;
    LINKS_BROWSE: "links", "browse" => Yes, Yes, No, No, No, No, No;
    LINKS_EDIT: "links", "edit" => Yes, Yes, No, No, No, No, No;
    GIFT_LINKS_BROWSE: "gift_links", "browse" => Yes, Yes, Yes, Yes, No, No, Wide;
    FEEDBACK_BROWSE: "feedback", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    MENTIONS_BROWSE: "mentions", "browse" => Yes, Yes, No, No, No, No, No;
    INCOMING_RECOMMENDATIONS_BROWSE: "incoming_recommendations", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    AUTOMATED_EMAILS_BROWSE: "automated_emails", "browse" => Yes, Yes, No, No, No, No, No;
    AUTOMATIONS_BROWSE: "automations", "browse" => Yes, Yes, No, No, No, No, No;
    IDENTITIES_READ: "identities", "read" => Yes, Yes, No, No, No, No, No;
    TINYBIRD_TOKEN: "tinybird", "token" => Yes, Yes, Yes, No, No, No, No;
    SLACK_TEST: "slack", "test" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    RECOMMENDATIONS_BROWSE: "recommendations", "browse" => Yes, Yes, No, No, No, No, No;
    RECOMMENDATIONS_EDIT: "recommendations", "edit" => Yes, Yes, No, No, No, No, No;
    SEARCH_INDEX_BROWSE: "search-index", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    CUSTOM_THEME_SETTINGS_BROWSE: "custom_theme_settings", "browse" => Yes, Yes, No, No, No, No, No;
    CUSTOM_THEME_SETTINGS_EDIT: "custom_theme_settings", "edit" => Yes, Yes, No, No, No, No, No;
    ROLES_BROWSE: "roles", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    ROLES_BROWSE_ASSIGNABLE: "roles", "browse assignable" => Yes, Yes, Yes, Yes, Yes, Yes, Wide;
    USERS_BROWSE: "users", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    USERS_READ: "users", "read" => Yes, Yes, Yes, Yes, Yes, Yes, Yes;
    USERS_EDIT_SELF: "users", "edit self" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    USERS_EDIT_OTHERS: "users", "edit others" => Below, Below, Writers, Writers, No, No, No;
    USERS_DELETE_OTHERS: "users", "delete others" => Below, Below, Writers, Writers, No, No, No;
    USERS_ASSIGN_ROLES: "users", "assign roles" => Below, Below, Writers, Writers, No, No, No;
    USERS_CHANGE_OWN_ROLE: "users", "change own role" => No, No, No, No, No, No, No;
    USERS_SUSPEND: "users", "suspend" => Below, Below, Writers, Writers, No, No, No;
    USERS_PASSWORD_OF_OTHERS: "users", "password of others" => Yes, Yes, Writers, Writers, No, No, No;
    USERS_OWN_TOKEN: "users", "own token" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    USERS_TOKENS_OF_OTHERS: "users", "tokens of others" => No, No, No, No, No, No, No;
    USERS_TRANSFER_OWNERSHIP: "users", "transfer ownership" => SessionOnly, No, No, No, No, No, No;
    INVITES_BROWSE: "invites", "browse" => Yes, Yes, Yes, Yes, No, No, No;
    INVITES_ADD: "invites", "add" => Below, Below, Writers, Writers, No, No, No;
    INVITES_DELETE: "invites", "delete" => Yes, Yes, Yes, Yes, No, No, No;
    EVERYTHING_DELETE_ALL_CONTENT: "everything", "delete all content" => SessionOnly, SessionOnly, No, No, No, No, No;
    EVERYTHING_RESET_ALL_PASSWORDS: "everything", "reset all passwords" => SessionOnly, SessionOnly, No, No, No, No, No;
}

impl Permission {
    /// Returns the right of a role.
    pub fn of_role(&self, role: Role) -> Right {
        match role {
            Role::Owner => self.owner,
            Role::Administrator => self.administrator,
            Role::SuperEditor => self.super_editor,
            Role::Editor => self.editor,
            Role::Author => self.author,
            Role::Contributor => self.contributor,
        }
    }

    /// Returns the right of integrations.
    pub fn of_integrations(&self) -> Right {
        self.integration
    }

    /// Returns the right of `actor`: never [`Right::No`], [`Right::SessionOnly`] or [`Right::Wide`],
    /// which are decided here.
    ///
    /// # Errors
    ///
    /// `NoPermission` if the actor has no right.
    pub fn admit(&self, actor: &Actor) -> Result<Right> {
        let right = match actor {
            Actor::Operator => Right::Yes,
            Actor::Integration { scope, .. } => match (self.integration, scope) {
                (Right::Wide, IntegrationScope::Specification) => Right::No,
                (Right::Wide, _) => Right::Yes,
                (right, _) => right,
            },
            Actor::User { role, means, .. } => match (self.of_role(*role), means) {
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

    /// Returns the error for an actor without the right.
    pub fn refusal(&self) -> Error {
        Error::new(
            Kind::NoPermission,
            format!("You may not {} here: {}.", self.act, self.resource),
        )
        .help("docs/admin-api.md lists what each role may do.")
    }
}

impl Right {
    /// Returns whether the right extends to users of `role`, and to assigning that role.
    pub fn covers_role(self, role: Role) -> bool {
        match self {
            Self::Yes => true,
            Self::Below => role != Role::Owner,
            Self::Writers => matches!(role, Role::Author | Role::Contributor),
            Self::No | Self::Own | Self::OwnDrafts | Self::SessionOnly | Self::Wide => false,
        }
    }
}
