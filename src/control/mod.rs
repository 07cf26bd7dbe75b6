//! Commands about a site: what `galley key`, `galley user`, `galley theme`, `galley webhook`, `galley status`, `galley sync`,
//! `galley import`, `galley export`, `galley backup` and `galley build` ask for.
//!
//! A command is carried out the same way in two places: by the program itself when nobody has the data folder open, and
//! by the running server when one has. The server listens on a socket in the data folder, to which only the folder's owner
//! and root can connect.

mod accounts;
mod client;
mod listener;
mod socket;
mod targets;
mod themes;
mod webhooks;

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf, sync::Arc};

pub use accounts::{Account, AccountCommand, SessionReport, Typed};
use arc_swap::ArcSwap;
pub use client::{ClientError, ask};
use jiff::Timestamp;
pub use listener::Listener;
use serde::{Deserialize, Serialize};
pub use targets::named_here;
pub use themes::{ThemeCommand, ThemeReport};
use url::Url;
pub use webhooks::{DeliveryReport, DeliveryState, Secret, WebhookCommand, WebhookReport};

use crate::{
    admin::custom_theme_settings,
    api::{
        addresses::{AddressSources, Addresses},
        files::FileRoots,
        still::Still,
    },
    backup,
    domain::{
        actor::Actor,
        integration::{Integration, IntegrationScope},
    },
    error::{Error, Kind, Result},
    export::{self, Circumstances, ExportError, Order, folder::Folders},
    import::{self, Given, Progress, Report},
    site::{Edition, Site},
    sources::{
        ContentFiles, ContentReport, Diagnostic,
        git::{GitReport, Pulls},
    },
    static_site::{self, BuildError},
    themes::Themes,
};

/// What is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Make an integration with new keys.
    AddKey {
        /// What it is called.
        name: String,
        /// How much its Admin API key reaches; `None` for what is set for all.
        scope: Option<IntegrationScope>,
    },
    /// Tell all integrations.
    ListKeys,
    /// Delete an integration with its keys.
    RevokeKey {
        /// Its name or identifier.
        name: String,
    },
    /// Do something about the accounts of the staff.
    Account(AccountCommand),
    /// Do something about themes.
    Theme(ThemeCommand),
    /// Do something about who is told what.
    Webhook(WebhookCommand),
    /// Tell how the site is.
    Status,
    /// Look at the repository that the site is made of, and serve what is new.
    Sync,
    /// Bring in what comes from elsewhere.
    Import {
        /// Where it lies: an absolute path.
        path: PathBuf,
        /// Whether it is only tried.
        dry_run: bool,
        /// The site's public address, when it is not the one that is served.
        url: Option<String>,
        /// Whether webhooks are told no more than that the site changed.
        without_events: bool,
        /// Whether the history of the repository that a folder lies in says what its texts do not.
        #[serde(default)]
        history: bool,
        /// What is set about the files of a folder.
        #[serde(default)]
        content_files: Box<ContentFiles>,
    },
    /// Write the site elsewhere. The target is an absolute path.
    Export(Order),
    /// Write all of it into one file, to be restored from. The target is an absolute path.
    Backup(backup::Order),
    /// Write what readers see to a folder, for a host of files.
    Build(static_site::Order),
}

/// What came of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// One integration: made or deleted.
    Key(Key),
    /// All integrations.
    Keys(Vec<Key>),
    /// One account: made or changed.
    Account(Account),
    /// All accounts.
    Accounts(Vec<Account>),
    /// Where somebody is signed in.
    Sessions(Vec<SessionReport>),
    /// Somebody was signed out.
    SignedOut {
        /// Who.
        account: Account,
        /// How many sessions ended.
        sessions: usize,
    },
    /// One theme: brought in or activated.
    Theme(ThemeReport),
    /// All themes.
    Themes(Vec<ThemeReport>),
    /// The theme of this name was deleted.
    ThemeDeleted(String),
    /// One webhook: made or deleted.
    Webhook(WebhookReport),
    /// All webhooks.
    Webhooks(Vec<WebhookReport>),
    /// What webhooks were told or are told next.
    Deliveries(Vec<DeliveryReport>),
    /// How the site is.
    Status(Box<StatusReport>),
    /// The repository was looked at.
    Synced(Box<SyncReport>),
    /// What came of an import.
    Imported(Box<Report>),
    /// What came of an export.
    Exported(Box<export::Report>),
    /// What was backed up.
    BackedUp(Box<backup::Report>),
    /// What came of a build.
    Built(Box<static_site::Report>),
    /// The command is being carried out; another reply follows.
    Working(Work),
    /// The command failed, and why.
    Failed(String),
}

/// How far a command is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// What is done of `total`.
    pub done: u64,
    /// 0 as long as that is not known.
    pub total: u64,
}

/// An integration as its operator sees it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
    /// The integration's identifier.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its Content API key.
    pub content_key: String,
    /// Its Admin API key: `id:secret`.
    pub admin_key: String,
    /// How much the Admin API key reaches, if that is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<IntegrationScope>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How a site is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatusReport {
    /// What the site is called.
    pub title: String,
    /// Number of the last commit.
    pub revision: u64,
    /// Size of the store on disk, in bytes.
    pub store_bytes: u64,
    /// How many records there are of each kind, and of what is to leave the site, if there is any: mails and what each webhook
    /// is to be told are counted up to a thousand.
    pub counts: BTreeMap<String, usize>,
    /// Content files that were read.
    pub files: usize,
    /// What is wrong with content files.
    pub problems: Vec<Diagnostic>,
    /// The repository that the site is made of, if it is made of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitReport>,
}

/// How a site stands to the repository that it is made of, after a look at it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncReport {
    /// The repository.
    #[serde(flatten)]
    pub git: GitReport,
    /// Content files of the commit that is served.
    pub files: usize,
    /// What is wrong with that commit.
    pub problems: Vec<Diagnostic>,
}

/// What commands are about.
pub struct Subject {
    /// The site.
    pub site: Arc<Site>,
    /// What is known of its content folder; empty when it has none.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Where a look at the repository is asked for, if the site is made of one.
    pub pulls: Option<Arc<Pulls>>,
    /// Who says where the site is for its readers.
    pub addresses: AddressSources,
    /// The data folder.
    pub data: PathBuf,
    /// The content folder, if the site has one.
    pub content_folder: Option<PathBuf>,
    /// First segment of the API's paths.
    pub path_prefix: String,
    /// Memory that pictures may take while they are made smaller, in bytes.
    pub image_memory_bytes: u64,
}

/// Carries out a command, and tells `progress` how far it is.
pub fn execute(subject: &Subject, command: &Command, progress: &dyn Progress) -> Reply {
    carry_out(subject, command, progress).unwrap_or_else(|error| Reply::Failed(reason(&error)))
}

/// What the operator is told: also what clients of the API are not.
fn reason(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

fn carry_out(subject: &Subject, command: &Command, progress: &dyn Progress) -> Result<Reply> {
    let site = &subject.site;
    Ok(match command {
        Command::AddKey { name, scope } => {
            let integration =
                site.write(|transaction| transaction.add_integration(name, *scope))?;
            Reply::Key(Key::of(&integration))
        }
        Command::ListKeys => {
            let edition = site.current();
            let integrations = edition.catalog.integrations();
            Reply::Keys(
                integrations
                    .map(|integration| Key::of(integration))
                    .collect(),
            )
        }
        Command::RevokeKey { name } => {
            let integration = site.write(|transaction| transaction.revoke_integration(name))?;
            Reply::Key(Key::of(&integration))
        }
        Command::Account(command) => {
            let address = site_address(subject, None)?;
            accounts::carry_out(site, command, address.path().trim_end_matches('/'))?
        }
        Command::Theme(command) => themes::carry_out(subject, command)?,
        Command::Webhook(command) => webhooks::carry_out(site, command)?,
        Command::Status => Reply::Status(Box::new(status(subject)?)),
        Command::Sync => Reply::Synced(Box::new(sync(subject)?)),
        Command::Import {
            path,
            dry_run,
            url,
            without_events,
            history,
            content_files,
        } => {
            let options = import::Options {
                site: site_address(subject, url.as_deref())?,
                data: subject.data.clone(),
                dry_run: *dry_run,
                actor: Actor::Operator,
                history: *history,
                content_files: (**content_files).clone(),
                announces_records: !without_events,
            };
            let given = Given::at(path)?;
            Reply::Imported(Box::new(import::import(site, &given, &options, progress)?))
        }
        Command::Export(order) => {
            targets::refuse_served(subject, &order.target)?;
            match export(subject, order, progress) {
                Ok(report) => Reply::Exported(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
        Command::Backup(order) => {
            if let backup::Target::File(target) = &order.target {
                targets::refuse_served(subject, target)?;
            }
            let written = backup::write(site, &subject.data, order, &|done, total| {
                progress.advance(done, total);
                match progress.is_cancelled() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            match written {
                Ok(report) => Reply::BackedUp(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
        Command::Build(order) => {
            targets::refuse_served(subject, &order.target)?;
            match build(subject, order, progress) {
                Ok(report) => Reply::Built(Box::new(report)),
                Err(error) => Reply::Failed(error.to_string()),
            }
        }
    })
}

fn build(
    subject: &Subject,
    order: &static_site::Order,
    progress: &dyn Progress,
) -> std::result::Result<static_site::Report, BuildError> {
    let edition = subject.site.current();
    let addresses = match &order.url {
        Some(url) => Some(Addresses::new(url)?),
        None => subject.addresses.configured(&edition.catalog.settings),
    };
    let files = FileRoots {
        content: subject.content_folder.clone(),
        data: subject.data.clone(),
    };
    let sources = static_site::Sources {
        files: files.clone(),
        path_prefix: subject.path_prefix.clone(),
    };
    let site = Still::new(
        &edition,
        addresses.ok_or(BuildError::NoUrl)?,
        files,
        subject.image_memory_bytes,
        subject.site.now(),
    );
    static_site::build(&site, &sources, order, progress)
}

fn export(
    subject: &Subject,
    order: &Order,
    progress: &dyn Progress,
) -> Result<export::Report, ExportError> {
    let address = site_address(subject, None)?;
    let edition = subject.site.current();
    let theme_settings = custom_theme_settings::browse(&edition, &Themes::of(&subject.data))?;
    let circumstances = Circumstances {
        site: &address,
        now: subject.site.now(),
        folders: Folders {
            content: subject.content_folder.as_deref(),
            data: &subject.data,
        },
        theme_settings: Some(&theme_settings),
        progress: &|done, total| progress.advance(done, total),
    };
    export::export(&edition, order, circumstances)
}

fn site_address(subject: &Subject, given: Option<&str>) -> Result<Url> {
    let addresses = match given {
        Some(url) => Addresses::new(url)
            .map_err(|error| Error::new(Kind::Validation, format!("{error}.")).property("url"))?,
        None => {
            let edition = subject.site.current();
            subject.addresses.of(&edition.catalog.settings)
        }
    };
    Ok(addresses.url().clone())
}

fn sync(subject: &Subject) -> Result<SyncReport> {
    let not_git = || {
        Error::not_found("Git repository")
            .context("This site is not made from a git repository.")
            .help(
                "`galley serve --git URL` makes it of one, as does source.git.url in galley.toml.",
            )
    };
    let pulls = subject.pulls.as_ref().ok_or_else(not_git)?;
    let report = pulls.pull().map_err(Error::internal)?;
    Ok(SyncReport {
        git: report.git.clone().ok_or_else(not_git)?,
        files: report.files,
        problems: report.problems.clone(),
    })
}

fn status(subject: &Subject) -> Result<StatusReport> {
    let edition = subject.site.current();
    let catalog = &edition.catalog;
    let content = subject.content.load();
    Ok(StatusReport {
        title: catalog.settings.text("title").unwrap_or_default(),
        revision: catalog.revision,
        store_bytes: subject.site.store_bytes()?,
        counts: catalog
            .counts()
            .into_iter()
            .chain(waiting(&edition)?)
            .collect(),
        files: content.files,
        problems: content.problems.clone(),
        git: content.git.clone(),
    })
}

/// What is to leave the site and has not yet, if anything is.
fn waiting(edition: &Edition) -> Result<impl Iterator<Item = (String, usize)>> {
    let catalog = &edition.catalog;
    let mut requests = 0;
    for webhook in catalog.webhooks.iter() {
        requests += edition.waiting_count(webhook.id)?;
    }
    let waiting = [
        ("mails waiting", edition.waiting_mail_count()?),
        ("newsletters under way", catalog.emails.under_way().count()),
        ("requests to webhooks waiting", requests),
    ];
    let waiting = waiting.into_iter().filter(|(_, count)| *count > 0);
    Ok(waiting.map(|(kind, count)| (kind.to_owned(), count)))
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
