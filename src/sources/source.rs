//! The text of a content file, and positions in it.
//!
//! Every parsed value keeps its [`Span`], so that a problem found later (an unknown author, a duplicate slug) is reported at
//! its position. Text is decoded once: UTF-8, without a byte order mark, with `\n` as line ending. No other encoding is
//! guessed.

use std::sync::Arc;

use super::diagnostic::{Diagnostic, Severity, SourcePosition};
use super::line_map::LineMap;
use crate::content_text::line_ends::with_plain_line_ends;
pub use crate::content_text::{FILE_BYTES_MAX, Span, Spanned};

/// A decoded content file. Cloning is cheap: the text is shared.
#[derive(Debug, Clone)]
pub struct Source {
    path: Arc<str>,
    text: Arc<str>,
    /// The source lines of the body's lines, if it was expanded, and the first of them.
    lines: Option<Arc<(usize, LineMap)>>,
}

impl Source {
    /// Decodes the file at `path`, relative to the content folder.
    ///
    /// # Errors
    ///
    /// A diagnostic if the file is larger than [`FILE_BYTES_MAX`] or is not UTF-8; the latter has the position of the first
    /// invalid byte.
    pub fn decode(path: &str, bytes: &[u8]) -> Result<Source, Diagnostic> {
        if bytes.len() > FILE_BYTES_MAX {
            return Err(Diagnostic::too_large(path));
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text =
            str::from_utf8(bytes).map_err(|error| not_utf8(path, bytes, error.valid_up_to()))?;
        Ok(Source {
            path: path.into(),
            text: with_plain_line_ends(text).into(),
            lines: None,
        })
    }

    /// Returns the source with another body after the first `start` bytes, whose lines come from `lines` of the file.
    pub(super) fn with_body(&self, start: usize, body: &str, lines: LineMap) -> Source {
        let first_line = self.line_of(start);
        Source {
            path: Arc::clone(&self.path),
            text: format!("{}{body}", &self.text[..start]).into(),
            lines: Some(Arc::new((first_line, lines))),
        }
    }

    /// Returns the path relative to the content folder, with the separator `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text at `span` of this file; empty for spans outside.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Returns the line number of a byte position, from 1.
    pub fn line_of(&self, position: usize) -> usize {
        let before = self
            .text
            .as_bytes()
            .get(..position)
            .unwrap_or(self.text.as_bytes());
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        match self.lines.as_deref() {
            Some((first, lines)) if line >= *first => lines.of_source(line + 1 - first),
            _ => line,
        }
    }

    /// Returns the bytes of a line, counted from 1.
    pub(super) fn line_span(&self, line: usize) -> Span {
        let before = self.text.split_inclusive('\n').take(line.saturating_sub(1));
        let start: usize = before.map(str::len).sum();
        let length = self.text[start..].find('\n');
        Span::new(start, start + length.unwrap_or(self.text.len() - start))
    }

    /// Returns an error at `span`, with a message and advice.
    pub fn error(
        &self,
        span: Span,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Diagnostic {
        self.diagnostic(Severity::Error, span, message.into(), advice.into())
    }

    /// Returns a warning at `span`: the file is used except for this value.
    pub fn warning(
        &self,
        span: Span,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Diagnostic {
        self.diagnostic(Severity::Warning, span, message.into(), advice.into())
    }

    fn diagnostic(
        &self,
        severity: Severity,
        span: Span,
        message: String,
        advice: String,
    ) -> Diagnostic {
        let place = SourcePosition::locate(&self.text, self.line_of(span.start), span);
        Diagnostic {
            severity,
            file: self.path.to_string(),
            place: Some(place),
            message,
            advice,
        }
    }
}

fn not_utf8(path: &str, bytes: &[u8], valid_up_to: usize) -> Diagnostic {
    let lossy = String::from_utf8_lossy(bytes);
    // Before the invalid byte the lossy text equals the valid text, so the replacement character marks that byte.
    let valid = with_plain_line_ends(&lossy[..valid_up_to]);
    let source = Source {
        path: path.into(),
        text: with_plain_line_ends(&lossy).into(),
        lines: None,
    };
    source.error(
        Span::new(
            valid.len(),
            valid.len() + char::REPLACEMENT_CHARACTER.len_utf8(),
        ),
        format!(
            "the file is not UTF-8: byte 0x{:02X} does not fit",
            bytes[valid_up_to]
        ),
        "save the file in the encoding UTF-8",
    )
}
