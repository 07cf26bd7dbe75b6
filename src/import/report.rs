//! The result of an import, for the person or client that started it.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

/// Maximum number of notes of one kind that are listed; further notes are only counted.
pub const NOTES_MAX: usize = 1000;

/// The counts of imported records, and notes on changes and omissions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// True if nothing was stored.
    pub dry_run: bool,
    /// The counts of each kind of record, named in the plural: `posts`, `members`.
    pub counts: BTreeMap<String, Count>,
    /// The number of elements in the documents of a folder, and in the posts made from them: documents, images, links, code
    /// blocks, footnotes. Empty for other imports.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub passed: BTreeMap<String, ContentCount>,
    /// Values that differ from the source.
    pub changed: Notes,
    /// Records that were left out.
    pub left_out: Notes,
}

/// The counts of one kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Records that are new.
    pub added: usize,
    /// Records that existed and were updated from the source.
    pub updated: usize,
    /// Records that existed and did not change.
    pub unchanged: usize,
}

/// The number of elements of one kind before and after an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentCount {
    /// The number in the documents.
    pub r#in: usize,
    /// The number in the posts that they became.
    pub out: usize,
}

/// The outcome for one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The record is new.
    Added,
    /// The record existed and was updated from the source.
    Updated,
    /// The record existed and did not change.
    Unchanged,
}

/// Remarks about single records, bounded in number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The first [`NOTES_MAX`] remarks.
    pub notes: Vec<Note>,
    /// The number of further remarks.
    pub more: usize,
}

/// A remark about one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The record or line that the remark is about, such as `post "night-ferry"` or `line 12`.
    pub subject: String,
    /// The remark.
    pub text: String,
    /// The detail for this record, such as its new slug. Remarks with the same text may have different details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Report {
    /// Counts a record of `kind`.
    pub fn count(&mut self, kind: &str, outcome: Outcome) {
        let count = self.counts.entry(kind.to_owned()).or_default();
        match outcome {
            Outcome::Added => count.added += 1,
            Outcome::Updated => count.updated += 1,
            Outcome::Unchanged => count.unchanged += 1,
        }
    }

    /// Counts elements of a document and of the post that it became.
    pub fn count_content(&mut self, kind: &str, r#in: usize, out: usize) {
        let count = self.passed.entry(kind.to_owned()).or_default();
        count.r#in += r#in;
        count.out += out;
    }

    /// Adds a note that something differs from the source.
    pub fn change(&mut self, subject: impl Into<String>, text: impl Into<String>) {
        self.changed.add(subject.into(), text.into(), None);
    }

    /// Adds a note that something differs from the source, with the detail for this record.
    pub fn change_with(
        &mut self,
        subject: impl Into<String>,
        text: impl Into<String>,
        detail: impl Into<String>,
    ) {
        let detail = Some(detail.into());
        self.changed.add(subject.into(), text.into(), detail);
    }

    /// Adds a note that a part of the source was left out.
    pub fn leave_out(&mut self, subject: impl Into<String>, text: impl Into<String>) {
        self.left_out.add(subject.into(), text.into(), None);
    }
}

impl Note {
    /// Returns the remark, with the detail for this record if there is one.
    pub fn whole(&self) -> Cow<'_, str> {
        match &self.detail {
            Some(detail) => Cow::Owned(format!("{}: {detail}", self.text)),
            None => Cow::Borrowed(&self.text),
        }
    }
}

impl Notes {
    fn add(&mut self, subject: String, text: String, detail: Option<String>) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(Note {
                subject,
                text,
                detail,
            })
        } else {
            self.more += 1
        }
    }

    /// Returns the number of remarks, including those that were only counted.
    pub fn len(&self) -> usize {
        self.notes.len() + self.more
    }

    /// Returns whether there are no remarks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
