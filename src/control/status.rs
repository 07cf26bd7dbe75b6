//! The status of a site, for `galley status` and `galley doctor`.

use std::{collections::BTreeMap, ops, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    ControlContext,
    duplicates::{self, DuplicateReport},
    nodes::{self, NodeStatus},
};
use crate::{
    backup::BackupStatus,
    certificates::CertificateReport,
    content_files::{CommitReport, GitReport, ReadFailure, WriteBack},
    content_text::Diagnostic,
    data_folder::DataFolder,
    domain::file_edit::FileConflict,
    error::Result,
    site::{SiteSnapshot, StoreRefusal},
};

/// The status of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatusReport {
    /// The site's title.
    pub title: String,
    /// Number of the last commit.
    pub revision: u64,
    /// Time since which the store's database is unavailable, if it is. Readers are served from the replica,
    /// and changes are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_lost_since: Option<Timestamp>,
    /// If the store can be read but accepts no changes: the reason and the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_refusal: Option<StoreRefusal>,
    /// True if the disk of the data folder cannot be written to and changes are refused.
    #[serde(default, skip_serializing_if = "ops::Not::not")]
    pub is_read_only: bool,
    /// Size of the store on disk, in bytes; `None` while its database is unavailable.
    pub store_bytes: Option<u64>,
    /// Number of records of each kind, and of outgoing messages, if there are any. Mails and the deliveries
    /// of each webhook are counted up to a thousand.
    pub counts: BTreeMap<String, usize>,
    /// Records whose names or addresses should be unique but are not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<DuplicateReport>,
    /// Number of content files read.
    pub files: usize,
    /// Diagnostics of the content files.
    pub problems: Vec<Diagnostic>,
    /// If the current content files are not served: the reason and the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_failure: Option<ReadFailure>,
    /// Where edits of content files are written.
    #[serde(default)]
    pub write_back: WriteBack,
    /// The commits of edits in the work tree of the content folder, if edits are committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<CommitReport>,
    /// The site's repository, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitReport>,
    /// The last conflicts between edits and other changes of their files, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<FileConflict>,
    /// The link for setting up the site from other machines, while it has no owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup_url: Option<String>,
    /// The site's certificates, if it is served over https.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<CertificateReport>,
    /// The state of its regular backups, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backups: Option<BackupStatus>,
    /// The processes that share its store, if it can be shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeStatus>,
}

/// Returns the status of the site.
pub(super) fn status(context: &ControlContext) -> Result<StatusReport> {
    let snapshot = context.site.current();
    let catalog = &snapshot.catalog;
    let content = context.content.load();
    // First, because this call may find that the database does not respond.
    let nodes = nodes::nodes(&context.site)?;
    Ok(StatusReport {
        title: catalog.settings.text("title").unwrap_or_default(),
        revision: catalog.revision,
        store_lost_since: context.site.store_lost_since(),
        store_refusal: context.site.store_refusal().map(Arc::unwrap_or_clone),
        is_read_only: DataFolder::is_on_read_only_disk(&context.data),
        store_bytes: context.site.known_store_bytes()?,
        counts: catalog
            .counts()
            .into_iter()
            .chain(waiting(&snapshot)?)
            .collect(),
        duplicates: duplicates::duplicates(&snapshot)?,
        files: content.files,
        problems: content.problems.clone(),
        content_failure: content.failure.clone(),
        write_back: content.write_back,
        commits: content.commits.clone(),
        git: content.git.clone().map(|git| GitReport {
            // The report is from the last check of the repository; edits may have been queued
            // since.
            waiting_edits: catalog.file_edits.count(),
            ..git
        }),
        conflicts: snapshot.file_conflicts()?,
        setup_url: setup_url(context, &snapshot),
        certificates: match &context.certificates {
            Some(certificates) => certificates.reports(),
            None => Vec::new(),
        },
        backups: context
            .backups
            .as_ref()
            .map(|status| BackupStatus::clone(&status.load())),
        nodes,
    })
}

/// Returns the link for setting up the site from other machines, while the site is served and has no owner.
pub fn setup_url(context: &ControlContext, snapshot: &SiteSnapshot) -> Option<String> {
    let site_urls = context.site_urls.of(&snapshot.catalog);
    let page = format!("{}/{}/", site_urls.base(), context.path_prefix);
    context.setup_link.as_ref()?.url(snapshot, &page)
}

/// Returns the numbers of outgoing messages and pending edits, by kind.
fn waiting(snapshot: &SiteSnapshot) -> Result<impl Iterator<Item = (String, usize)>> {
    let catalog = &snapshot.catalog;
    let mut requests = 0;
    for webhook in catalog.webhooks.iter() {
        requests += snapshot.waiting_count(webhook.id)?;
    }
    let waiting = [
        ("mails waiting", snapshot.waiting_mail_count()?),
        ("newsletters under way", catalog.emails.under_way().count()),
        ("requests to webhooks waiting", requests),
        ("edits of files waiting", catalog.file_edits.count()),
    ];
    let waiting = waiting.into_iter().filter(|(_, count)| *count > 0);
    Ok(waiting.map(|(kind, count)| (kind.to_owned(), count)))
}
