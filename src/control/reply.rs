//! The replies to commands, and their progress.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    backup,
    content_files::GitReport,
    content_text::Diagnostic,
    control::{
        account::{Account, SessionReport},
        examination_report::Examination,
        member_report::MergeReport,
        reload_report::ReloadReport,
        status::StatusReport,
        theme_report::ThemeReport,
        webhook_report::{DeliveryReport, WebhookReport},
    },
    domain::integration::{Integration, IntegrationScope},
    export,
    import::Report,
    static_site,
};

/// The reply to a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// One integration, added or deleted.
    Key(IntegrationKeys),
    /// All integrations.
    Keys(Vec<IntegrationKeys>),
    /// One account, added or changed.
    Account(Account),
    /// All accounts.
    Accounts(Vec<Account>),
    /// The sessions of a user.
    Sessions(Vec<SessionReport>),
    /// A user was signed out.
    SignedOut {
        /// The account.
        account: Account,
        /// The number of ended sessions.
        sessions: usize,
    },
    /// The result of a merge of members that share an address, or of its trial run.
    Merged(Vec<MergeReport>),
    /// One theme, added or activated.
    Theme(ThemeReport),
    /// All themes.
    Themes(Vec<ThemeReport>),
    /// The theme with this name was deleted.
    ThemeDeleted(String),
    /// One webhook, added or deleted.
    Webhook(WebhookReport),
    /// All webhooks.
    Webhooks(Vec<WebhookReport>),
    /// Past and next deliveries of webhooks.
    Deliveries(Vec<DeliveryReport>),
    /// The status of the site.
    Status(Box<StatusReport>),
    /// The values that `galley doctor` checks.
    Examined(Box<Examination>),
    /// The configuration was read again.
    Reloaded(ReloadReport),
    /// The repository was pulled.
    Synced(Box<SyncReport>),
    /// The result of an import.
    Imported(Box<Report>),
    /// The result of an export.
    Exported(Box<export::Report>),
    /// The result of a backup.
    BackedUp(Box<backup::BackupReport>),
    /// The result of a build.
    Built(Box<static_site::BuildReport>),
    /// The command is running; another reply follows.
    Working(CommandProgress),
    /// The command failed, with the reason.
    Failed(String),
}

/// The progress of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandProgress {
    /// The finished part of `total`.
    pub done: u64,
    /// The whole work; 0 while unknown.
    pub total: u64,
}

/// An integration, as shown to the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IntegrationKeys {
    /// The integration's identifier.
    pub id: String,
    /// The name.
    pub name: String,
    /// Its Content API key.
    pub content_key: String,
    /// Its Admin API key: `id:secret`.
    pub admin_key: String,
    /// The scope of the Admin API key, if it has a separate one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<IntegrationScope>,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// The state of a site's repository after a pull.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncReport {
    /// The repository.
    #[serde(flatten)]
    pub git: GitReport,
    /// Number of content files of the served commit.
    pub files: usize,
    /// Diagnostics of the served commit.
    pub problems: Vec<Diagnostic>,
}

impl IntegrationKeys {
    pub(super) fn of(integration: &Integration) -> Self {
        Self {
            id: integration.id.to_string(),
            name: integration.name.to_string(),
            content_key: integration.content_key.secret.to_string(),
            admin_key: integration.admin_key_text(),
            scope: integration.scope,
            created_at: integration.created_at,
        }
    }
}
