//! Edits of content files that were made through the API, from their commit until the file, or the branch of its repository,
//! has them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, secret::Digest};

/// An edit of a content file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileEdit {
    /// Its number: the edits of a file follow each other in this order.
    pub number: u64,
    /// The file, as a path in the content folder.
    pub path: Box<str>,
    /// The path before, if the edit renames the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<Box<str>>,
    /// The text that was edited; `None` for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The edited text; `None` to delete the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// True if the file is that of a post or a page.
    #[serde(default)]
    pub is_of_document: bool,
    /// True if the file is new and its text is in a temporary file next to its path.
    #[serde(
        rename = "is_being_placed",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_in_progress: bool,
    /// True if the file has it, so that only its commit is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_written: bool,
    /// Uploads that the text shows, as paths in the content folder, into which they are put. The data folder has them at the
    /// paths that they have in URLs.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub uploads: Box<[Box<str>]>,
    /// Images that are deleted with the file.
    #[serde(rename = "pictures", default, skip_serializing_if = "<[_]>::is_empty")]
    pub images: Box<[Box<str>]>,
    /// The title of its record, for people.
    pub title: Box<str>,
    /// The editor.
    pub editor: Editor,
    /// Time of the start.
    pub begun_at: Timestamp,
    /// Time at which it was last continued: several saves of one editor are one edit.
    pub edited_at: Timestamp,
    /// The number of saves.
    pub saves: u64,
    /// The versions of earlier saves, of which the file may have one, the last ones.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub earlier: Box<[FileVersion]>,
}

/// A version of a content file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileVersion {
    /// The file, as a path in the content folder.
    pub path: Box<str>,
    /// The digest of its text.
    pub digest: Digest,
}

/// The most earlier versions of an edit that are stored.
const EARLIER_MAX: usize = 20;

/// A person or an integration that edits files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Editor {
    /// The name.
    pub name: Box<str>,
    /// The email address; `None` for an integration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<Box<str>>,
}

/// The most conflicts that are stored: the oldest are removed.
pub const CONFLICTS_MAX: usize = 20;

/// A conflict of an edit with another change of its file, which applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileConflict {
    /// The file, as a path in the content folder.
    pub path: Box<str>,
    /// The title of its record.
    pub title: Box<str>,
    /// The name of the editor.
    pub editor: Box<str>,
    /// The author of the commit with the other change; `None` in a folder.
    pub other_author: OptionalText,
    /// The branch with the editor's version; `None` if it is a revision of the post only.
    pub branch: OptionalText,
    /// Time at which the edit was last continued.
    pub edited_at: Timestamp,
    /// Time at which the conflict was found.
    pub found_at: Timestamp,
}

/// The effect of an edit on its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEditKind {
    /// Creates the file.
    Add,
    /// Changes the file.
    Edit,
    /// Deletes the file.
    Delete,
}

impl FileEditKind {
    /// Returns the verb for messages of commits: `Add`, `Edit`, `Delete`.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Edit => "Edit",
            Self::Delete => "Delete",
        }
    }
}

impl FileEdit {
    /// Returns the path that it found the file at.
    pub fn found_at(&self) -> &str {
        self.moved_from.as_deref().unwrap_or(&self.path)
    }

    /// Returns whether it leaves the file as it found it.
    pub fn is_empty(&self) -> bool {
        self.before == self.after && self.moved_from.is_none()
    }

    /// Returns the paths of all files that it changes.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let others = self.uploads.iter().chain(&self.images);
        [&*self.path, self.found_at()]
            .into_iter()
            .chain(others.map(|path| &**path))
    }

    /// Returns whether it is an earlier or later version of the same edit.
    pub fn is_version_of(&self, other: &Self) -> bool {
        // In stores of earlier versions numbers began again when no edit waited.
        self.number == other.number && self.begun_at == other.begun_at
    }

    /// Returns the rest of the edit once `part` of it is done.
    pub fn after_part(&self, part: &Self) -> Self {
        Self {
            moved_from: (part.path != self.path).then(|| part.path.clone()),
            before: part.after.clone(),
            is_in_progress: false,
            earlier: Box::default(),
            ..self.clone()
        }
    }

    /// Returns the earlier versions of the next save: its own ones and those that remain of it.
    pub fn versions(&self) -> Box<[FileVersion]> {
        let own = self.after.as_ref().map(|text| FileVersion {
            path: self.path.clone(),
            digest: Digest::of(text),
        });
        let first = (self.earlier.len() + 1).saturating_sub(EARLIER_MAX);
        let earlier = self.earlier[first..].iter().cloned();
        earlier.chain(own).collect()
    }

    /// Returns the effect on its file.
    pub fn kind(&self) -> FileEditKind {
        match (&self.before, &self.after) {
            (_, None) => FileEditKind::Delete,
            (None, Some(_)) => FileEditKind::Add,
            (Some(_), Some(_)) => FileEditKind::Edit,
        }
    }
}
