//! Edits of content files that were made through the API. An edit is stored from its commit until
//! it is in the file or in the branch of its repository.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{OptionalText, secret::Digest};

/// An edit of a content file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileEdit {
    /// The number of the edit. The edits of a file are applied in this order.
    pub number: u64,
    /// The file, as a path in the content folder.
    pub path: Box<str>,
    /// The previous path, if the edit renames the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<Box<str>>,
    /// The previous text of the file; `None` for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The new text of the file; `None` to delete the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// True if the file is the document of a post or a page.
    #[serde(default)]
    pub is_of_document: bool,
    /// True if the file is new and its text is in a temporary file next to its path.
    #[serde(
        rename = "is_being_placed",
        default,
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_in_progress: bool,
    /// True if the edit is in the file, so that only the commit in the repository is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_written: bool,
    /// The uploads that the text refers to, as their paths in the content folder, to which they are
    /// copied. In the data folder, they have the paths that are used in URLs.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub uploads: Box<[Box<str>]>,
    /// The images that are deleted with the file.
    #[serde(rename = "pictures", default, skip_serializing_if = "<[_]>::is_empty")]
    pub images: Box<[Box<str>]>,
    /// The title of the record, for display.
    pub title: Box<str>,
    /// The editor.
    pub editor: Editor,
    /// Time at which the edit was begun.
    pub begun_at: Timestamp,
    /// Time at which the edit was last continued. Several saves by one editor are one edit.
    pub edited_at: Timestamp,
    /// The number of saves.
    pub saves: u64,
    /// The most recent versions from earlier saves, one of which may be in the file.
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

/// Maximum number of stored earlier versions of an edit.
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

/// Maximum number of stored conflicts; the oldest are removed.
pub const CONFLICTS_MAX: usize = 20;

/// A conflict between an edit and another change of the file. The other change applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileConflict {
    /// The file, as a path in the content folder.
    pub path: Box<str>,
    /// The title of the record.
    pub title: Box<str>,
    /// The name of the editor.
    pub editor: Box<str>,
    /// The author of the commit with the other change; `None` in a content folder without a
    /// repository.
    pub other_author: OptionalText,
    /// The branch with the editor's version; `None` if it is a revision of the post only.
    pub branch: OptionalText,
    /// Time at which the edit was last continued.
    pub edited_at: Timestamp,
    /// Time at which the conflict was detected.
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
    /// Returns the path of the file before the edit.
    pub fn found_at(&self) -> &str {
        self.moved_from.as_deref().unwrap_or(&self.path)
    }

    /// Returns whether the edit changes nothing.
    pub fn is_empty(&self) -> bool {
        self.before == self.after && self.moved_from.is_none()
    }

    /// Returns the paths of all files that the edit changes. The path of the document may occur
    /// twice.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let others = self.uploads.iter().chain(&self.images);
        [&*self.path, self.found_at()]
            .into_iter()
            .chain(others.map(|path| &**path))
    }

    /// Returns whether `other` is an earlier or later version of the same edit.
    pub fn is_version_of(&self, other: &Self) -> bool {
        // In earlier versions of Galley, numbers started over whenever no edit was pending.
        self.number == other.number && self.begun_at == other.begun_at
    }

    /// Returns the rest of the edit after `part`, a version of the edit, has been written.
    pub fn after_part(&self, part: &Self) -> Self {
        Self {
            moved_from: (part.path != self.path).then(|| part.path.clone()),
            before: part.after.clone(),
            is_in_progress: false,
            earlier: Box::default(),
            ..self.clone()
        }
    }

    /// Returns the earlier versions for the next save: the current version, and the most recent
    /// earlier ones.
    pub fn versions(&self) -> Box<[FileVersion]> {
        let own = self.after.as_ref().map(|text| FileVersion {
            path: self.path.clone(),
            digest: Digest::of(text),
        });
        // Leaves room for the current version, which is added last.
        let first = (self.earlier.len() + 1).saturating_sub(EARLIER_MAX);
        let earlier = self.earlier[first..].iter().cloned();
        earlier.chain(own).collect()
    }

    /// Returns the effect of the edit on its file.
    pub fn kind(&self) -> FileEditKind {
        match (&self.before, &self.after) {
            (_, None) => FileEditKind::Delete,
            (None, Some(_)) => FileEditKind::Add,
            (Some(_), Some(_)) => FileEditKind::Edit,
        }
    }
}
