//! The parameters and the outcome of a run.

use std::collections::BTreeSet;

use crate::{content_files::edits::WrittenEdits, content_text::Diagnostic, progress::Progress};

/// The unit that is applied or rejected as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each file. If a file has an error, the record of its last valid version remains, and the other files are applied. This
    /// is for folders that people write in, where some files are always unfinished.
    File,
    /// The whole folder. If any file has an error or is unreadable, nothing is applied. This is for commits.
    Folder,
}

/// A record that is stored in the same transaction.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The key in the table of single records.
    pub key: &'static [u8],
    /// The value.
    pub value: serde_json::Value,
}

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// The site is reconciled with the folder; these diagnostics are new.
    Applied(Vec<Diagnostic>),
    /// Nothing was applied because of these errors.
    Refused(Vec<Diagnostic>),
    /// Nothing was applied, because an edit was saved after the waiting edits were written into the files. The files that
    /// were read do not contain this edit, so the record would lose it.
    Overtaken,
}

/// The parameters of a run.
#[derive(Clone, Copy)]
pub(super) struct RunParameters<'a> {
    pub(super) hints: Option<&'a BTreeSet<String>>,
    pub(super) unit: Unit,
    pub(super) mark: Option<&'a Mark>,
    pub(super) edits: Option<&'a WrittenEdits>,
    /// Whether the edits end when the files are applied.
    pub(super) ends_edits: bool,
    pub(super) progress: &'a dyn Progress,
}
