//! Commands about a site: what `galley key` and `galley status` ask for.
//!
//! A command is carried out the same way in two places: by the program itself when nobody has the data folder open, and
//! by the running server when one has. The server listens on a loopback port that the lock file of the data folder names,
//! together with a secret that only the folder's owner can read.

mod client;
mod listener;

use std::{collections::BTreeMap, sync::Arc};

use arc_swap::ArcSwap;
pub use client::{ClientError, ask};
use jiff::Timestamp;
pub use listener::Listener;
use serde::{Deserialize, Serialize};

use crate::{
    catalog::Catalog,
    domain::{
        integration::Integration,
        post::{Post, PostKind, Status},
    },
    error::Result,
    site::Site,
    sources::{ContentReport, Diagnostic},
};

/// What is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Make an integration with new keys.
    AddKey {
        /// What it is called.
        name: String,
    },
    /// Tell all integrations.
    ListKeys,
    /// Delete an integration with its keys.
    RevokeKey {
        /// Its name or identifier.
        name: String,
    },
    /// Tell how the site is.
    Status,
}

/// What came of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// One integration: made or deleted.
    Key(Key),
    /// All integrations.
    Keys(Vec<Key>),
    /// How the site is.
    Status(Box<StatusReport>),
    /// The command failed, and why.
    Failed(String),
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
    /// How many records there are of each kind.
    pub counts: BTreeMap<String, usize>,
    /// Content files that were read.
    pub files: usize,
    /// What is wrong with content files.
    pub problems: Vec<Diagnostic>,
}

/// What commands are about.
pub struct Subject {
    /// The site.
    pub site: Arc<Site>,
    /// What is known of its content folder; empty when it has none.
    pub content: Arc<ArcSwap<ContentReport>>,
}

/// Carries out a command.
pub fn execute(subject: &Subject, command: &Command) -> Reply {
    carry_out(subject, command).unwrap_or_else(|error| Reply::Failed(error.to_string()))
}

fn carry_out(subject: &Subject, command: &Command) -> Result<Reply> {
    let site = &subject.site;
    Ok(match command {
        Command::AddKey { name } => {
            let integration = site.write(|transaction| transaction.add_integration(name))?;
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
        Command::Status => Reply::Status(Box::new(status(subject)?)),
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
        counts: counts(catalog),
        files: content.files,
        problems: content.problems.clone(),
    })
}

fn counts(catalog: &Catalog) -> BTreeMap<String, usize> {
    let count =
        |wanted: &dyn Fn(&Post) -> bool| catalog.posts.iter().filter(|post| wanted(post)).count();
    let of_posts =
        |status: Status| count(&|post| post.kind == PostKind::Post && post.status == status);
    BTreeMap::from([
        ("posts published".to_owned(), of_posts(Status::Published)),
        ("posts scheduled".to_owned(), of_posts(Status::Scheduled)),
        ("posts in draft".to_owned(), of_posts(Status::Draft)),
        (
            "pages".to_owned(),
            count(&|post| post.kind == PostKind::Page),
        ),
        ("tags".to_owned(), catalog.tags.len()),
        ("authors".to_owned(), catalog.users.len()),
        ("tiers".to_owned(), catalog.tiers.len()),
        ("newsletters".to_owned(), catalog.newsletters.len()),
        ("integrations".to_owned(), catalog.integrations().count()),
    ])
}

impl Key {
    fn of(integration: &Integration) -> Self {
        Self {
            id: integration.id.to_string(),
            name: integration.name.to_string(),
            content_key: integration.content_key.secret.to_string(),
            admin_key: integration.admin_key_text(),
            created_at: integration.created_at,
        }
    }
}

/// One line to the server: the secret from the lock file and the command.
#[derive(Serialize, Deserialize)]
struct Message {
    token: String,
    command: Command,
}
