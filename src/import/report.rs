//! The result of an import, for the person or client that started it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Most notes of a kind that are kept; the rest is only counted.
pub const NOTES_MAX: usize = 1000;

/// What came in, what was changed on the way, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Whether the import was only tried.
    pub dry_run: bool,
    /// What became of the records of each kind, in the plural: `posts`, `members`.
    pub counts: BTreeMap<String, Count>,
    /// How much there is in the texts of a folder, as they are read, and in what they became: texts, pictures, links, blocks
    /// of code, footnotes. Empty for other imports.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub passed: BTreeMap<String, Passed>,
    /// What is not as it was in the file.
    pub changed: Notes,
    /// What is not there now.
    pub left_out: Notes,
}

/// What became of the records of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// They are new.
    pub added: usize,
    /// They were there, and are now as the file has them.
    pub updated: usize,
    /// They were there already, and stay as they were.
    pub unchanged: usize,
}

/// How much of one kind goes into an import and comes out of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passed {
    /// How much there is in the texts.
    pub r#in: usize,
    /// How much there is in what they became.
    pub out: usize,
}

/// What became of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Added,
    /// It was there, and is now as the file has it.
    Updated,
    /// It stays as it was.
    Unchanged,
}

/// Remarks about single records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes {
    /// The first [`NOTES_MAX`] of them.
    pub notes: Vec<Note>,
    /// How many more there were.
    pub more: usize,
}

/// A remark about one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is about, such as `post "night-ferry"` or `line 12`.
    pub subject: String,
    /// What is to be said of it.
    pub text: String,
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

    /// Counts what is in a text and in what it became.
    pub fn pass(&mut self, kind: &str, r#in: usize, out: usize) {
        let passed = self.passed.entry(kind.to_owned()).or_default();
        passed.r#in += r#in;
        passed.out += out;
    }

    /// Notes that something is not as it was in the file.
    pub fn change(&mut self, subject: impl Into<String>, text: impl Into<String>) {
        self.changed.add(subject.into(), text.into());
    }

    /// Notes that something of the file is not there now.
    pub fn leave_out(&mut self, subject: impl Into<String>, text: impl Into<String>) {
        self.left_out.add(subject.into(), text.into());
    }
}

impl Notes {
    fn add(&mut self, subject: String, text: String) {
        match self.notes.len() < NOTES_MAX {
            true => self.notes.push(Note { subject, text }),
            false => self.more += 1,
        }
    }

    /// How many there are, with those that were only counted.
    pub fn len(&self) -> usize {
        self.notes.len() + self.more
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
