//! Import of member lists (rules as recorded and observed with Ghost 6.65).

use std::{collections::HashMap, io::Read, sync::Arc};

use super::collection;
use crate::{
    domain::{action::ActionEvent, actor::Actor, label::Label},
    error::Result,
    import::{
        Note, Report,
        members::{self, KIND, ListOptions},
    },
    progress::NoProgress,
    site::Site,
};

/// A list and its options.
pub struct MemberList<R> {
    /// The file: CSV with a header.
    pub csv: R,
    /// The length of the file, in bytes.
    pub bytes: u64,
    /// The field names by column name.
    pub mapping: HashMap<String, String>,
    /// The names of labels that are added to all imported members.
    pub labels: Vec<String>,
}

/// The result of an import.
#[derive(Debug)]
pub struct MemberImport {
    /// The number of rows that are not empty.
    pub rows: u64,
    /// The number of imported rows.
    pub imported: usize,
    /// The rows that were not imported, and the ignored cells of imported rows, each with the
    /// reason.
    pub skipped: Vec<Note>,
    /// The columns that do not correspond to a member field.
    pub unknown_columns: Vec<String>,
    /// The label that identifies this import; `None` if no member was imported.
    pub label: Option<Label>,
}

/// Imports a list of any length in one transaction. All its members get a label with the current
/// minute in its name.
///
/// If several rows refer to one member, all of them apply, in order. Webhooks receive no events for
/// imported members (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation` if the file is not a list of members; the errors of [`members::import`]. Nothing is
/// changed in case of an error.
pub fn import<R: Read>(site: &Site, actor: &Actor, list: MemberList<R>) -> Result<MemberImport> {
    // The stream cannot be read a second time, so the transaction must not be retried.
    site.write_once(|transaction| {
        transaction.announce_site_only();
        let now = transaction.now();
        let time = now.to_zoned(transaction.catalog().settings.time_zone());
        let name = time.strftime("Import %Y-%m-%d %H:%M").to_string();
        // Checked before the import, which creates the label. A second import within a minute has
        // the same one.
        let is_new = transaction.catalog().labels.named(&name).is_none();
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
        let label = transaction.catalog().labels.named(&name).cloned();
        let label = label.map(Arc::unwrap_or_clone);
        if let Some(label) = label.as_ref().filter(|_| is_new) {
            collection::record_action(transaction, actor, ActionEvent::Added, label)?;
        }
        let count = report.counts.get(KIND).copied().unwrap_or_default();
        let imported = count.added + count.updated + count.unchanged;
        let unknown_columns = unknown_columns(&report);
        Ok(MemberImport {
            rows,
            imported,
            skipped: not_imported(report),
            unknown_columns,
            label: label.filter(|_| imported > 0),
        })
    })
}

/// Returns the notes about rows in the order of their lines, and one about notes that were only
/// counted.
fn not_imported(report: Report) -> Vec<Note> {
    let more = report.left_out.more + report.changed.more;
    let of_cells = report.changed.notes.into_iter().map(|note| Note {
        text: format!("the row is imported, but {}", note.text),
        ..note
    });
    let of_rows = report.left_out.notes.into_iter();
    let mut notes: Vec<(u64, Note)> = of_rows
        .chain(of_cells)
        .filter_map(|note| Some((note.subject.strip_prefix(LINE)?.parse().ok()?, note)))
        .collect();
    notes.sort_by_key(|(line, _)| *line);
    let mut notes: Vec<Note> = notes.into_iter().map(|(_, note)| note).collect();
    if more > 0 {
        notes.push(Note {
            subject: "further lines".to_owned(),
            text: format!("{more} more remarks are not listed"),
            detail: None,
        });
    }
    notes
}

fn unknown_columns(report: &Report) -> Vec<String> {
    let subjects = report.left_out.notes.iter().map(|note| &note.subject);
    subjects
        .filter_map(|subject| subject.strip_prefix("column \"")?.strip_suffix('"'))
        .map(str::to_owned)
        .collect()
}

/// Prefix of the subject of notes about rows.
const LINE: &str = "line ";
