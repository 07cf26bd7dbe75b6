//! The text of a content file, and positions in it.
//!
//! Every parsed value has its [`Span`], so that a problem found later (an unknown author, a duplicate slug) is reported at its
//! position. Text is decoded once: UTF-8, without a byte order mark, with `\n` as line ending. No other encoding is guessed.

use std::sync::Arc;

use percent_encoding::percent_decode_str;

pub use crate::content_text::{FILE_BYTES_MAX, Span};
use crate::content_text::{
    diagnostic::{Diagnostic, Severity, SourcePosition},
    line_ends::with_plain_line_ends,
    line_map::LineMap,
};

/// A decoded content file. Cloning is cheap: the text is shared.
#[derive(Debug, Clone)]
pub struct Source {
    path: Arc<str>,
    text: Arc<str>,
    /// The origin of the body, if it was expanded.
    expanded: Option<Arc<ExpandedBody>>,
}

/// The origin of an expanded body.
#[derive(Debug)]
struct ExpandedBody {
    /// The first line of the body.
    first_line: usize,
    /// The lines of the file that the body's lines were expanded from.
    lines: LineMap,
    /// The text as written.
    written: Arc<str>,
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
        // Some editors, mostly on Windows, write a byte order mark.
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text =
            str::from_utf8(bytes).map_err(|error| not_utf8(path, bytes, error.valid_up_to()))?;
        Ok(Source {
            path: path.into(),
            text: with_plain_line_ends(text).into(),
            expanded: None,
        })
    }

    /// Returns the source with another body after the first `start` bytes, whose lines were expanded from `lines` of the file.
    pub(crate) fn with_body(&self, start: usize, body: &str, lines: LineMap) -> Source {
        let first_line = self.line_of(start);
        Source {
            path: Arc::clone(&self.path),
            text: format!("{}{body}", &self.text[..start]).into(),
            expanded: Some(Arc::new(ExpandedBody {
                first_line,
                lines,
                written: Arc::clone(self.written()),
            })),
        }
    }

    /// Returns the path relative to the content folder, with the separator `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the complete text.
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
        match self.expanded.as_deref() {
            Some(ExpandedBody {
                first_line, lines, ..
            }) if line >= *first_line => lines.of_source(line + 1 - first_line),
            _ => line,
        }
    }

    /// Returns the text as written, before its body was expanded.
    fn written(&self) -> &Arc<str> {
        match self.expanded.as_deref() {
            Some(expanded) => &expanded.written,
            None => &self.text,
        }
    }

    /// Returns the line of the file that contains a position, if the expansion changed the line.
    fn expanded_line(&self, position: usize) -> Option<&str> {
        let own = line_at(&self.text, position);
        let mut written = self.expanded.as_deref()?.written.lines();
        let written = written.nth(self.line_of(position) - 1)?;
        (own != written).then_some(written)
    }

    /// Returns the span in `written`, a line before its expansion, that corresponds to `span` in the expanded body: the same
    /// text, or else the target of a link that the expansion changed, or the last part of the target. `None` if the line
    /// contains none of them.
    fn span_in(&self, written: &str, span: Span) -> Option<Span> {
        let text = self.slice(span);
        let unchanged = written.find(text).filter(|_| !text.trim().is_empty());
        if let Some(start) = unchanged {
            return Some(Span::new(start, start + text.len()));
        }
        let path = self.link_target(span.start).unwrap_or(text);
        let last = path.rsplit('/').next().unwrap_or(path);
        let last = percent_decode_str(last).decode_utf8_lossy();
        [path, &*last].into_iter().find_map(|target| {
            let mut found = written.match_indices(target);
            // The match must be at the start of a target, as in `[[`, `](` or `="`.
            let (start, _) = found
                .find(|(start, _)| written[..*start].ends_with(['[', '(', '/', '"', '\'', '=']))?;
            (!target.is_empty()).then(|| Span::new(start, start + target.len()))
        })
    }

    /// Returns the target, without query and fragment, of the Markdown link in the expanded body after `position` on its line.
    fn link_target(&self, position: usize) -> Option<&str> {
        let line = self.text.get(position..)?.lines().next()?;
        let (_, target) = line.split_once("](")?;
        Some(&target[..target.find([')', '#', '?'])?])
    }

    /// Returns the byte range of a line, counted from 1.
    pub(crate) fn line_span(&self, line: usize) -> Span {
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
        let line = self.line_of(span.start);
        let position = match self.expanded_line(span.start) {
            Some(written) => {
                let found = self.span_in(written, span);
                SourcePosition::locate(written, line, found.unwrap_or_else(|| whole_line(written)))
            }
            None => SourcePosition::locate(&self.text, line, span),
        };
        Diagnostic {
            severity,
            file: self.path.to_string(),
            position: Some(position),
            message,
            detail: None,
            advice: advice.into(),
        }
    }
}

/// Returns the line of `text` that contains a position, without its end.
fn line_at(text: &str, position: usize) -> &str {
    let position = text.floor_char_boundary(position);
    let start = text[..position].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// Returns the byte range of a line without surrounding whitespace.
fn whole_line(line: &str) -> Span {
    let start = line.len() - line.trim_start().len();
    Span::new(start, line.trim_end().len().max(start))
}

fn not_utf8(path: &str, bytes: &[u8], valid_up_to: usize) -> Diagnostic {
    let lossy = String::from_utf8_lossy(bytes);
    // Before the invalid byte the lossy text equals the valid text, so the replacement character marks that byte.
    let valid = with_plain_line_ends(&lossy[..valid_up_to]);
    let source = Source {
        path: path.into(),
        text: with_plain_line_ends(&lossy).into(),
        expanded: None,
    };
    source.error(
        Span::new(
            valid.len(),
            valid.len() + char::REPLACEMENT_CHARACTER.len_utf8(),
        ),
        format!(
            "the file is not UTF-8: byte 0x{:02X} is invalid",
            bytes[valid_up_to]
        ),
        "save the file in the encoding UTF-8",
    )
}
