//! A problem in a content file: its position, a message, and advice.
//!
//! A diagnostic owns its texts and outlives the file. It displays like the diagnostics of compilers and serialises to one
//! flat JSON object. It contains no colours: the terminal output adds them.

use std::{collections::HashMap, fmt};

use serde::{Deserialize, Serialize};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{
    content_text::{FILE_BYTES_MAX, Span},
    escaped::{self, Line},
};

/// Maximum length of the part of a line that is shown, in characters.
const SHOWN_CHARACTERS_MAX: usize = 120;
/// Maximum number of positions that a group shows after its first.
const POSITIONS_SHOWN_MAX: usize = 3;

/// Whether a file is usable in spite of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file is not used; its last valid version remains in use.
    Error,
    /// The file is used; the value at the position is not.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Whether the file is usable.
    pub severity: Severity,
    /// The file's path relative to the content folder.
    pub file: String,
    /// The position in the file; `None` for problems of the whole file, such as missing permissions.
    #[serde(flatten)]
    pub position: Option<SourcePosition>,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// A detail that is specific to this file, such as the slug that it gets. It may differ between similar problems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<str>>,
    /// How to fix it, in one sentence without a full stop.
    pub advice: Box<str>,
}

impl Diagnostic {
    /// Returns an error about a whole file.
    pub fn about_file(
        file: impl Into<String>,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            file: file.into(),
            position: None,
            message: message.into(),
            detail: None,
            advice: advice.into().into(),
        }
    }

    /// Sets the detail that is specific to the file.
    pub(crate) fn with_detail(self, detail: impl Into<String>) -> Diagnostic {
        Diagnostic {
            detail: Some(detail.into().into()),
            ..self
        }
    }

    /// Returns the diagnostic as a warning.
    pub(crate) fn into_warning(self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..self
        }
    }

    pub(crate) fn too_large(file: &str) -> Diagnostic {
        let message = format!(
            "the file is larger than {} MiB",
            FILE_BYTES_MAX / 1024 / 1024
        );
        Diagnostic::about_file(
            file,
            message,
            "split the document, or move other data to a separate file",
        )
    }

    /// Returns whether the file is unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `Line` escapes control characters: names and values of files could change what a terminal
        // shows.
        write!(formatter, "{}: {}", self.severity, Line(&self.message))?;
        match &self.detail {
            Some(detail) => writeln!(formatter, ": {}", Line(detail))?,
            None => writeln!(formatter)?,
        }
        self.show_position(formatter).map(|_margin| ())
    }
}

impl Diagnostic {
    /// Writes the position and the advice, and returns the margin on their left.
    fn show_position(&self, formatter: &mut fmt::Formatter<'_>) -> Result<String, fmt::Error> {
        let margin = match &self.position {
            Some(position) => position.show(&self.file, formatter)?,
            None => {
                writeln!(formatter, "--> {}", Line(&self.file))?;
                String::new()
            }
        };
        write!(formatter, "{margin} = help: {}", Line(&self.advice))?;
        Ok(margin)
    }
}

/// Diagnostics that differ only in their position and detail, such as one for each file with the same unknown key.
///
/// Displays as its first diagnostic, with the number of diagnostics, and the positions and details of the next few.
#[derive(Debug, Clone)]
pub struct DiagnosticGroup<'a> {
    first: &'a Diagnostic,
    others: Vec<&'a Diagnostic>,
}

impl<'a> DiagnosticGroup<'a> {
    /// Groups `problems`, in the order of the first one of each group.
    pub fn all(problems: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut numbers = HashMap::new();
        for problem in problems {
            let sameness = (problem.severity, &problem.message, &problem.advice);
            let number = *numbers.entry(sameness).or_insert(groups.len());
            match groups.get_mut(number) {
                Some(group) => group.others.push(problem),
                None => groups.push(Self {
                    first: problem,
                    others: Vec::new(),
                }),
            }
        }
        groups
    }

    /// Returns the first diagnostic.
    pub fn first(&self) -> &'a Diagnostic {
        self.first
    }

    /// Returns the other diagnostics.
    pub fn others(&self) -> &[&'a Diagnostic] {
        &self.others
    }

    /// Returns whether the files are unusable.
    pub fn is_error(&self) -> bool {
        self.first.is_error()
    }
}

impl fmt::Display for DiagnosticGroup<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.others.is_empty() {
            return self.first.fmt(formatter);
        }
        let (first, count) = (self.first, self.others.len() + 1);
        writeln!(
            formatter,
            "{}: {count} × {}",
            first.severity,
            Line(&first.message)
        )?;
        let margin = first.show_position(formatter)?;
        if let Some(detail) = &first.detail {
            write!(formatter, "\n{margin} = here: {}", Line(detail))?;
        }
        write!(formatter, "\n{margin} = also at ")?;
        for (index, other) in self.others.iter().take(POSITIONS_SHOWN_MAX).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(formatter, "{comma}{}", Line(&other.file))?;
            if let Some(position) = &other.position {
                write!(formatter, ":{}", position.line)?;
            }
            if let Some(detail) = &other.detail {
                write!(formatter, " ({})", Line(detail))?;
            }
        }
        match self.others.len().saturating_sub(POSITIONS_SHOWN_MAX) {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}

/// A position in a file, with the text of its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePosition {
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line as written, or the part of a long line around the column.
    #[serde(rename = "line_text")]
    pub text: Box<str>,
    /// Number of characters of `text` before the marked ones.
    #[serde(rename = "mark_start")]
    lead: u32,
    /// Number of marked characters, at least one.
    #[serde(rename = "mark_length")]
    marked: u32,
}

impl SourcePosition {
    /// Returns the position of `span` in `text`, on the given line.
    pub(crate) fn locate(text: &str, line: usize, span: Span) -> SourcePosition {
        // Parsers count bytes; a position inside a character would cause a panic.
        let start = text.floor_char_boundary(span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |length| start + length);
        let end = text.floor_char_boundary(span.end.clamp(start, line_end));
        let column = text[line_start..start].chars().count();
        let skipped = column.saturating_sub(SHOWN_CHARACTERS_MAX / 2);
        let shown: String = text[line_start..line_end]
            .chars()
            .skip(skipped)
            .take(SHOWN_CHARACTERS_MAX)
            .collect();
        let room = shown.chars().count().saturating_sub(column - skipped);
        let marked = text[start..end].chars().count().min(room).max(1);
        SourcePosition {
            line: count(line),
            column: count(column + 1),
            text: shown.into(),
            lead: count(column - skipped),
            marked: count(marked),
        }
    }

    /// Writes the position and its line, and returns the margin on the left of the line.
    fn show(&self, file: &str, formatter: &mut fmt::Formatter<'_>) -> Result<String, fmt::Error> {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let lead: String = self
            .text
            .chars()
            .take(self.lead as usize)
            .map(printable)
            .collect();
        let from_mark = self.text.chars().skip(self.lead as usize);
        let marked: String = from_mark
            .take(self.marked as usize)
            .map(printable)
            .collect();
        let shown: String = self.text.chars().map(printable).collect();
        writeln!(
            formatter,
            "{margin}--> {}:{number}:{}",
            Line(file),
            self.column
        )?;
        writeln!(formatter, "{margin} |")?;
        writeln!(formatter, "{number} | {}", shown.trim_end())?;
        writeln!(
            formatter,
            "{margin} | {}{}",
            // In columns of a terminal, where many characters take two.
            " ".repeat(lead.width()),
            "^".repeat(marked.width().max(1))
        )?;
        Ok(margin)
    }
}

/// Converts a count to 32 bits, which suffice because a file has at most [`FILE_BYTES_MAX`] bytes.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Replaces tabs and control characters with one space each, so that the marker is aligned.
fn printable(character: char) -> char {
    if character.width().is_none() || escaped::is_control(character) {
        ' '
    } else {
        character
    }
}
