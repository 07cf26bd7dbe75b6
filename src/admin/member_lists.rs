//! Import of member lists (rules as recorded and observed with Ghost 6.65).

use std::{collections::HashMap, io::Read};

use super::collection;
use crate::{
    domain::{action::ActionEvent, actor::Actor, label::Label},
    error::Result,
    import::{
        NoProgress, Note, Report,
        members::{self, KIND, ListOptions},
    },
    site::Site,
};

/// A list and its options.
pub struct MemberList<R> {
    /// The file: CSV with a header.
    pub csv: R,
    /// Its length, in bytes.
    pub bytes: u64,
    /// Maps names of columns to the names of fields.
    pub mapping: HashMap<String, String>,
    /// Names of labels that all imported members get.
    pub labels: Vec<String>,
}

/// The result of an import.
#[derive(Debug)]
pub struct MemberImport {
    /// Rows that are not empty.
    pub rows: u64,
    /// Rows that were imported.
    pub taken: usize,
    /// Rows that were not imported, with the reason: the first of them.
    pub left_out: Vec<Note>,
    /// The label that identifies this import; `None` if no member was imported.
    pub label: Option<Label>,
}

/// Imports a list in one transaction, whatever its length. All its members get a label that names
/// the minute.
///
/// If several rows are about one member, all apply, in order. Webhooks receive no events for
/// imported members (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` if the file is not a list of members; the errors of [`members::import`]. Nothing is
/// changed then.
pub fn import<R: Read>(site: &Site, actor: &Actor, list: MemberList<R>) -> Result<MemberImport> {
    site.write_once(|transaction| {
        transaction.announce_site_only();
        let now = transaction.now();
        let time = now.to_zoned(transaction.catalog().settings.time_zone());
        let name = time.strftime("Import %Y-%m-%d %H:%M").to_string();
        let is_new = transaction.label_called(&name).is_none();
        let mut labels = list.labels;
        labels.push(name.clone());
        let options = ListOptions {
            mapping: list.mapping,
            labels,
            applies_repeated_rows: true,
        };
        let mut report = Report::default();
        let rows = members::import(
            transaction,
            list.csv,
            list.bytes,
            &options,
            &mut report,
            &NoProgress,
        )?;
        let label = transaction.label_called(&name).cloned();
        if let Some(label) = label.as_ref().filter(|_| is_new) {
            collection::note(transaction, actor, ActionEvent::Added, label)?;
        }
        let count = report.counts.get(KIND).copied().unwrap_or_default();
        let taken = count.added + count.updated + count.unchanged;
        let mut left_out = report.left_out.notes;
        left_out.retain(|note| note.subject.starts_with(LINE));
        Ok(MemberImport {
            rows,
            taken,
            left_out,
            label: label.filter(|_| taken > 0),
        })
    })
}

/// Prefix of notes about rows.
const LINE: &str = "line ";
