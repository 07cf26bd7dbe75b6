//! Records with names or addresses that differ only in case, for `galley status`.
//!
//! Names of labels, newsletters, offers and snippets and addresses of members and users are unique regardless of case,
//! but stores of earlier versions may have duplicates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    catalog::{Catalog, records::Records},
    collation::CollatedText,
    domain::{member::email_key, record::Slugged},
    error::Result,
    site::SiteSnapshot,
    store::Table,
};

/// Maximum number of groups of one kind that are listed, and of texts in a group.
const LISTED_MAX: usize = 5;

/// The records of one kind that share a name or an address.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DuplicateReport {
    /// The plural of the kind.
    pub kind: String,
    /// The number of names or addresses that are used by several records.
    pub count: usize,
    /// The first of these names or addresses, each with the spellings of its records.
    pub listed: Vec<Vec<String>>,
}

impl DuplicateReport {
    fn of<'t>(kind: &str, groups: impl IntoIterator<Item = Vec<&'t str>>) -> Option<Self> {
        let mut report = Self {
            kind: kind.to_owned(),
            count: 0,
            listed: Vec::new(),
        };
        for texts in groups {
            report.count += 1;
            if report.listed.len() < LISTED_MAX {
                let texts = texts.into_iter().take(LISTED_MAX);
                report.listed.push(texts.map(str::to_owned).collect());
            }
        }
        (report.count > 0).then_some(report)
    }

    fn of_records<R: Slugged>(kind: &str, records: &Records<R>) -> Option<Self> {
        let groups = records.duplicates().into_iter();
        Self::of(
            kind,
            groups.map(|group| group.into_iter().map(|record| record.title()).collect()),
        )
    }
}

/// The part of a snippet that is compared.
#[derive(Deserialize)]
struct NamedSnippet {
    name: String,
}

/// Returns the records that share a name or an address.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn duplicates(snapshot: &SiteSnapshot) -> Result<Vec<DuplicateReport>> {
    let catalog = &snapshot.catalog;
    let members = catalog.members.duplicates().into_iter();
    let members = members.map(|group| group.into_iter().map(|member| &*member.email).collect());
    let reports = [
        DuplicateReport::of("members", members),
        of_users(catalog),
        DuplicateReport::of_records("labels", &catalog.labels),
        DuplicateReport::of_records("newsletters", &catalog.newsletters),
        DuplicateReport::of_records("offers", &catalog.offers),
        of_snippets(snapshot)?,
    ];
    Ok(reports.into_iter().flatten().collect())
}

fn of_users(catalog: &Catalog) -> Option<DuplicateReport> {
    // A sorted map, so that repeated reports list the same groups in the same order.
    let mut by_address: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let users = catalog.users.iter();
    for email in users.filter_map(|user| user.email.as_deref()) {
        by_address.entry(email_key(email)).or_default().push(email);
    }
    let groups = by_address.into_values().filter(|group| group.len() > 1);
    DuplicateReport::of("users", groups)
}

fn of_snippets(snapshot: &SiteSnapshot) -> Result<Option<DuplicateReport>> {
    let snippets: Vec<NamedSnippet> = snapshot.all(Table::Snippets)?;
    let mut by_name: BTreeMap<CollatedText, Vec<&str>> = BTreeMap::new();
    for NamedSnippet { name } in &snippets {
        by_name.entry(CollatedText(name)).or_default().push(name);
    }
    let groups = by_name.into_values().filter(|group| group.len() > 1);
    Ok(DuplicateReport::of("snippets", groups))
}
