//! Commands about a site, for `galley key`, `galley user`, `galley members`, `galley theme`, `galley
//! webhook`, `galley status`, `galley doctor`, `galley sync`, `galley import`, `galley export`, `galley backup` and
//! `galley build`.
//!
//! A command is executed in two ways: by the program itself if no process has the
//! data folder open, and otherwise by the running server. The server listens on a socket in the
//! data folder, to which only the folder's owner and root can connect.

mod accounts;
mod client;
mod duplicates;
mod examination;
mod listener;
mod members;
mod nodes;
mod socket;
mod status;
mod targets;
mod themes;
mod webhooks;

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

pub use accounts::{Account, AccountCommand, SessionReport, TypedPassword};
use arc_swap::ArcSwap;
pub use client::{ClientError, ask};
pub use duplicates::DuplicateReport;
pub use examination::Examination;
use jiff::Timestamp;
pub use listener::Listener;
pub use members::{MemberCommand, MemberReport, MergeReport};
pub use nodes::NodeStatus;
use serde::{Deserialize, Serialize};
pub use status::{StatusReport, setup_url};
pub use targets::{named_here, refuse_served};
pub use themes::{ThemeCommand, ThemeReport};
use url::Url;
pub use webhooks::{DeliveryReport, DeliveryState, Secret, WebhookCommand, WebhookReport};

use crate::{
    admin::{custom_theme_settings, setup_link::SetupLink},
    api::{files::FileRoots, front_end::ExternalFrontEnd, static_renderer::SiteReader},
    backup,
    backup::{BackupStatus, BackupTarget},
    certificates::Certificates,
    content_files::{ContentFiles, ContentReport, GitReport},
    content_text::Diagnostic,
    domain::{
        actor::Actor,
        integration::{Integration, IntegrationScope},
        secret,
    },
    error::{Error, Kind, Result},
    export,
    export::{ExportContext, ExportError, ExportRequest, folder::Folders},
    front_end::ScriptChoice,
    import,
    import::{ImportSource, Report},
    progress::Progress,
    repository::{Pulls, no_repository},
    site::Site,
    site_urls::{SiteUrlSources, SiteUrls},
    static_site,
    static_site::BuildError,
    themes::Themes,
    uploads::Uploads,
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
        /// The random part of a [proof](crate::domain::site_proof) that a URL leads to the site.
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
    /// Returns whether it only reads the site, so that it can be executed on a disk that cannot be written to.
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
    /// True if webhooks get no more than one event that the site changed.
    pub without_events: bool,
    /// True if the history of the folder's repository supplies dates that the documents lack.
    #[serde(default)]
    pub history: bool,
    /// Settings of the content folder.
    #[serde(default)]
    pub content_files: Box<ContentFiles>,
    /// The secret with which a Ghost site signed the links in its mails.
    #[serde(default)]
    pub email_auth_secret: Option<Secret>,
}

/// The reply to a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// One integration, added or deleted.
    Key(Key),
    /// All integrations.
    Keys(Vec<Key>),
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
    /// Members with one address were merged, or would be.
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

/// An integration as its operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
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
    /// Diagnostics of that commit.
    pub problems: Vec<Diagnostic>,
}

/// Reads the configuration again, or returns its errors.
pub type Reload = Box<dyn Fn() -> std::result::Result<ReloadReport, String> + Send + Sync>;

/// The result of reading the configuration again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReloadReport {
    /// The changed options that apply now.
    pub applied: Vec<String>,
    /// The changed options that apply after a restart.
    pub needs_restart: Vec<String>,
}

impl fmt::Display for ReloadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.applied.is_empty() && self.needs_restart.is_empty() {
            return f.write_str("The configuration has no changes.");
        }
        let mut space = "";
        if !self.applied.is_empty() {
            write!(f, "Applied: {}.", self.applied.join(", "))?;
            space = " ";
        }
        if !self.needs_restart.is_empty() {
            let options = self.needs_restart.join(", ");
            write!(f, "{space}Unchanged until a restart: {options}.")?;
        }
        Ok(())
    }
}

/// The context of commands.
pub struct ControlContext {
    /// The site.
    pub site: Arc<Site>,
    /// The report on its content folder; empty without one.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// The pulls of its repository, if it has one.
    pub pulls: Option<Arc<Pulls>>,
    /// Reads the configuration again, if this process was started by one.
    pub reloading: OnceLock<Reload>,
    /// Its certificates, if it is being served over https.
    pub certificates: Option<Arc<Certificates>>,
    /// The link with which it is set up from other machines, if it is being served.
    pub setup_link: Option<Arc<SetupLink>>,
    /// The sources of its public URLs.
    pub site_urls: SiteUrlSources,
    /// The data folder.
    pub data: PathBuf,
    /// The storage of uploads.
    pub uploads: Uploads,
    /// The content folder, if the site has one.
    pub content_folder: Option<PathBuf>,
    /// The state of regular backups, if there are any.
    pub backups: Option<Arc<ArcSwap<BackupStatus>>>,
    /// First segment of the API's paths.
    pub path_prefix: String,
    /// The site's front end, if it is configured.
    pub front_end: Option<ExternalFrontEnd>,
    /// The folder of the theme that pages are rendered with, if it is not the active one.
    pub theme: Option<PathBuf>,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
    /// Memory that image resizing may take, in bytes.
    pub image_memory_bytes: u64,
}

/// Executes a command, and reports its progress to `progress`.
pub fn execute(subject: &ControlContext, command: &Command, progress: &dyn Progress) -> Reply {
    carry_out(subject, command, progress).unwrap_or_else(|error| Reply::Failed(error.cause()))
}

fn carry_out(
    subject: &ControlContext,
    command: &Command,
    progress: &dyn Progress,
) -> Result<Reply> {
    let site = &subject.site;
    Ok(match command {
        Command::AddKey { name, scope } => {
            let added = site.write(|transaction| transaction.add_integration(name, *scope))?;
            Reply::Key(Key::of(&added))
        }
        Command::ListKeys => {
            let snapshot = site.current();
            let integrations = snapshot.catalog.integrations();
            Reply::Keys(integrations.map(|found| Key::of(found)).collect())
        }
        Command::RevokeKey { name } => {
            let revoked = site.write(|transaction| transaction.revoke_integration(name))?;
            Reply::Key(Key::of(&revoked))
        }
        Command::Account(command) => {
            let site_url = site_url_of(subject, None)?;
            accounts::carry_out(site, command, site_url.path().trim_end_matches('/'))?
        }
        Command::Member(command) => members::carry_out(site, command)?,
        Command::Theme(command) => themes::carry_out(subject, command)?,
        Command::Webhook(command) => webhooks::carry_out(site, command)?,
        Command::Status => Reply::Status(Box::new(status::status(subject)?)),
        Command::Examine { challenge } => {
            Reply::Examined(Box::new(examination::examine(subject, challenge)?))
        }
        Command::Reload => match subject.reloading.get().map(|reload| reload()) {
            Some(Ok(report)) => Reply::Reloaded(report),
            Some(Err(errors)) => Reply::Failed(errors),
            None => Reply::Failed("this process has no configuration to reload".to_owned()),
        },
        Command::Sync => Reply::Synced(Box::new(sync(subject)?)),
        Command::Import(request) => import(subject, request, progress)?,
        Command::Export(order) => {
            targets::refuse_served(subject, &order.target)?;
            match export(subject, order, progress) {
                Ok(report) => Reply::Exported(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
        Command::Backup(order) => back_up(subject, order, progress)?,
        Command::Build(order) => {
            targets::refuse_served(subject, &order.target)?;
            match build(subject, order, progress) {
                Ok(report) => Reply::Built(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
    })
}

fn import(
    subject: &ControlContext,
    request: &ImportRequest,
    progress: &dyn Progress,
) -> Result<Reply> {
    let secret = request.email_auth_secret.as_ref();
    let options = import::Options {
        site: site_url_of(subject, request.url.as_deref())?,
        uploads: subject.uploads.clone(),
        dry_run: request.dry_run,
        actor: Actor::Operator,
        history: request.history,
        content_files: (*request.content_files).clone(),
        email_auth_secret: secret.and_then(|secret| secret::Secret::imported(&secret.0)),
        announces_records: !request.without_events,
    };
    let given = ImportSource::at(&request.path)?;
    let report = import::import(&subject.site, &given, &options, progress)?;
    Ok(Reply::Imported(Box::new(report)))
}

fn back_up(
    subject: &ControlContext,
    order: &backup::BackupOptions,
    progress: &dyn Progress,
) -> Result<Reply> {
    if let BackupTarget::File(target) | BackupTarget::Collected(target) = &order.target {
        targets::refuse_served(subject, target)?;
    }
    if subject.uploads.bucket().is_some() {
        // The files of themes are read here, so these are brought up to date.
        Themes::of(&subject.uploads).all()?;
    }
    let (data, uploads) = (&subject.data, &subject.uploads);
    Ok(
        match backup::write(&subject.site, data, uploads, order, progress) {
            Ok(report) => Reply::BackedUp(Box::new(report)),
            Err(error) => Reply::Failed(error.to_string()),
        },
    )
}

fn build(
    subject: &ControlContext,
    order: &static_site::BuildOptions,
    progress: &dyn Progress,
) -> std::result::Result<static_site::BuildReport, BuildError> {
    let snapshot = subject.site.current();
    let site_urls = match &order.url {
        Some(url) => Some(SiteUrls::new(url)?),
        None => subject.site_urls.configured(&snapshot.catalog.settings),
    };
    let files = FileRoots {
        content: subject.content_folder.clone(),
        data: subject.data.clone(),
        uploads: subject.uploads.clone(),
    };
    let settings = &snapshot.catalog.settings;
    let theme = order.theme.as_deref().or(subject.theme.as_deref());
    let sources = static_site::Sources {
        files: files.clone(),
        path_prefix: subject.path_prefix.clone(),
        front_end: subject.front_end.clone(),
        theme: Themes::of(&subject.uploads).in_use(theme, settings),
        script_choice: subject.script_choice,
    };
    let site = SiteReader::new(
        &snapshot,
        site_urls
            .ok_or(BuildError::NoUrl)?
            .with_routes_of(&snapshot.catalog),
        files,
        theme,
        subject.image_memory_bytes,
        subject.site.now(),
    );
    static_site::build(&site, &sources, order, progress)
}

fn export(
    subject: &ControlContext,
    order: &ExportRequest,
    progress: &dyn Progress,
) -> Result<export::Report, ExportError> {
    let site_url = site_url_of(subject, None)?;
    let snapshot = subject.site.current();
    let theme_settings = custom_theme_settings::browse(&snapshot, &Themes::of(&subject.uploads))?;
    let context = ExportContext {
        site: &site_url,
        now: subject.site.now(),
        folders: Folders {
            content: subject.content_folder.as_deref(),
            uploads: &subject.uploads,
        },
        theme_settings: Some(&theme_settings),
        progress,
    };
    export::export(&snapshot, order, context)
}

fn site_url_of(subject: &ControlContext, given: Option<&str>) -> Result<Url> {
    let site_urls = match given {
        Some(url) => SiteUrls::new(url)
            .map_err(|error| Error::new(Kind::Validation, format!("{error}.")).property("url"))?,
        None => {
            let snapshot = subject.site.current();
            subject.site_urls.of(&snapshot.catalog)
        }
    };
    Ok(site_urls.url().clone())
}

fn sync(subject: &ControlContext) -> Result<SyncReport> {
    let not_git = || no_repository(&subject.content.load());
    let pulls = subject.pulls.as_ref().ok_or_else(not_git)?;
    let report = pulls.pull().map_err(Error::internal)?;
    Ok(SyncReport {
        git: report.git.clone().ok_or_else(not_git)?,
        files: report.files,
        problems: report.problems.clone(),
    })
}

impl Key {
    fn of(integration: &Integration) -> Self {
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
