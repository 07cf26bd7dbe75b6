//! Lists of members that are brought in (rules as recorded and observed with Ghost 6.65).

use std::{collections::HashMap, io::Read};

use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
        label::Label,
    },
    error::Result,
    import::{
        Note, Report, Silent,
        members::{self, KIND, Options},
    },
    site::Site,
};

/// A list, and how it is meant.
pub struct List<R> {
    /// The file: CSV with a header.
    pub csv: R,
    /// Its length, in bytes.
    pub bytes: u64,
    /// By the names of columns, the names by which they are known.
    pub mapping: HashMap<String, String>,
    /// Names of labels that everybody gets whom the list is about.
    pub labels: Vec<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct Imported {
    /// Rows that are not empty.
    pub rows: u64,
    /// Rows that were taken.
    pub taken: usize,
    /// Rows that were not, and why: the first of them.
    pub left_out: Vec<Note>,
    /// The label that says with which import somebody came; `None` when nobody did.
    pub label: Option<Label>,
}

/// Brings a list in: one change, whatever its length. Everybody whom it is about gets a label that names the minute.
///
/// Of several rows about one member all count, the last one most. Webhooks are not told of members who come in so (Ghost 6.65,
/// recorded).
///
/// # Errors
///
/// `Validation` when the file is no list of members; what [`members::import`] says. Nothing is changed then.
pub fn import<R: Read>(site: &Site, actor: &Actor, list: List<R>) -> Result<Imported> {
    site.write(|transaction| {
        transaction.announce_site_only();
        let now = transaction.now();
        let time = now.to_zoned(transaction.catalog().settings.time_zone());
        let name = time.strftime("Import %Y-%m-%d %H:%M").to_string();
        let is_new = transaction.label_called(&name).is_none();
        let mut labels = list.labels;
        labels.push(name.clone());
        let options = Options {
            mapping: list.mapping,
            labels,
            takes_repeated: true,
        };
        let mut report = Report::default();
        let rows = members::import(
            transaction,
            list.csv,
            list.bytes,
            &options,
            &mut report,
            &Silent,
        )?;
        let label = transaction.label_called(&name).cloned();
        if let Some(label) = label.as_ref().filter(|_| is_new) {
            let subject = Subject {
                id: label.id,
                resource_type: "label",
                name: Some(&label.name),
                kind: None,
            };
            transaction.record_action(actor, ActionEvent::Added, subject)?;
        }
        let count = report.counts.get(KIND).copied().unwrap_or_default();
        let taken = count.added + count.updated + count.unchanged;
        let mut left_out = report.left_out.notes;
        left_out.retain(|note| note.subject.starts_with(LINE));
        Ok(Imported {
            rows,
            taken,
            left_out,
            label: label.filter(|_| taken > 0),
        })
    })
}

/// What notes about rows begin with.
const LINE: &str = "line ";
