//! The commands that a process executes on a site, for itself or on behalf of another process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{
    backup,
    content_files::ContentFiles,
    control::{
        account::AccountCommand,
        member_report::MemberCommand,
        theme_report::ThemeCommand,
        webhook_report::{Secret, WebhookCommand},
    },
    domain::integration::IntegrationScope,
    export::ExportRequest,
    static_site,
};

/// A command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Add an integration with new keys.
    AddKey {
        /// Its name.
        name: String,
        /// The scope of its Admin API key; `None` for the configured default.
        scope: Option<IntegrationScope>,
    },
    /// List all integrations.
    ListKeys,
    /// Delete an integration with its keys.
    RevokeKey {
        /// Its name or identifier.
        name: String,
    },
    /// A command about staff accounts.
    Account(AccountCommand),
    /// A command about members.
    Member(MemberCommand),
    /// A command about themes.
    Theme(ThemeCommand),
    /// A command about webhooks.
    Webhook(WebhookCommand),
    /// Report the status of the site.
    Status,
    /// Report the values that `galley doctor` checks.
    Examine {
        /// The random part of a [proof](crate::domain::site_proof) that a URL reaches the site.
        challenge: String,
    },
    /// Read the configuration again.
    Reload,
    /// Pull the site's repository, and serve the new commit.
    Sync,
    /// Import content from elsewhere.
    Import(ImportRequest),
    /// Export the site. The target is an absolute path.
    Export(ExportRequest),
    /// Back up the site into one file. The target is an absolute path.
    Backup(backup::BackupOptions),
    /// Build a static site into a folder.
    Build(static_site::BuildOptions),
}

impl Command {
    /// Returns whether the command only reads the site, so that it can be executed on a disk that cannot be
    /// written to.
    pub fn only_reads(&self) -> bool {
        match self {
            Self::ListKeys
            | Self::Status
            | Self::Examine { .. }
            | Self::Export(_)
            | Self::Backup(_)
            | Self::Build(_)
            | Self::Account(AccountCommand::List | AccountCommand::Sessions { .. })
            | Self::Theme(ThemeCommand::List)
            | Self::Webhook(WebhookCommand::List | WebhookCommand::Log { .. }) => true,
            // Without a wildcard, so that a new command does not compile before it is classified.
            Self::AddKey { .. }
            | Self::RevokeKey { .. }
            | Self::Account(_)
            | Self::Member(_)
            | Self::Theme(_)
            | Self::Webhook(_)
            | Self::Reload
            | Self::Sync
            | Self::Import(_) => false,
        }
    }
}

/// The source of an import, and its options.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImportRequest {
    /// The absolute path of the archive or folder.
    pub path: PathBuf,
    /// True if nothing is written.
    pub dry_run: bool,
    /// The site's public URL, if it is not the served one.
    pub url: Option<String>,
    /// True if webhooks get only a single event that the site changed.
    pub without_events: bool,
    /// True if dates that are missing in documents are taken from the history of the folder's repository.
    #[serde(default)]
    pub history: bool,
    /// Settings of the content folder.
    #[serde(default)]
    pub content_files: Box<ContentFiles>,
    /// The secret with which a Ghost site signed the links in its mails.
    #[serde(default)]
    pub email_auth_secret: Option<Secret>,
}
