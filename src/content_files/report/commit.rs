//! A commit for display.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum length of a message for display, in characters.
const MESSAGE_CHARACTERS_MAX: usize = 2000;

/// Length of an abbreviated object id, in characters.
const SHORT: usize = 10;

/// A commit of the followed repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// The hexadecimal object id.
    #[serde(rename = "commit")]
    pub id: String,
    /// The name of the author.
    pub author: String,
    /// The e-mail address of the author.
    pub author_email: String,
    /// The author date.
    pub authored_at: Timestamp,
    /// The commit message.
    pub message: String,
}

impl Commit {
    /// The format of `git log` that [`parse`](Self::parse) reads.
    pub(crate) const FORMAT: &str = "--format=%H%x00%an%x00%ae%x00%at%x00%B";

    /// Parses a commit printed by git. Its text is untrusted: it is truncated, and terminal control characters are removed.
    pub(crate) fn parse(output: &[u8]) -> Option<Self> {
        let output = String::from_utf8_lossy(output);
        // The message comes last, because it may contain anything.
        let mut parts = output.splitn(5, '\0');
        let mut next = || parts.next().map(|part| part.trim());
        let (id, author, email) = (next()?, next()?, next()?);
        let (seconds, message) = (next()?, next()?);
        let authored_at = seconds
            .parse()
            .ok()
            .and_then(|seconds| Timestamp::from_second(seconds).ok());
        Some(Self {
            id: id.to_owned(),
            author: one_line(author),
            author_email: one_line(email),
            authored_at: authored_at.unwrap_or(Timestamp::UNIX_EPOCH),
            message: message
                .chars()
                .filter(|character| *character == '\n' || !character.is_control())
                .take(MESSAGE_CHARACTERS_MAX)
                .collect(),
        })
    }

    /// Returns the abbreviated object id.
    pub fn short(&self) -> &str {
        self.id.get(..SHORT).unwrap_or(&self.id)
    }

    /// Returns the first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

fn one_line(text: &str) -> String {
    let characters = text.chars().filter(|character| !character.is_control());
    characters.take(MESSAGE_CHARACTERS_MAX).collect()
}
