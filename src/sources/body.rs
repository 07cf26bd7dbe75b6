//! The text of a post as it stands in its file.

use serde::{Serialize, Serializer};

use super::source::{Source, Span};
use crate::render::markdown::Dialect;

/// The language of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyFormat {
    /// Markdown.
    Markdown,
    /// HTML, to be taken as it is.
    Html,
    /// Markdown that becomes a document of the editor, with fenced blocks that hold nodes of such a document as JSON.
    Lexical,
}

/// The text behind the front matter. It shares the file's text; its lines end in `\n`.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its language.
    pub format: BodyFormat,
    /// The dialect of its Markdown.
    pub dialect: Dialect,
    source: Source,
    start: usize,
}

impl Body {
    pub(super) fn new(format: BodyFormat, source: Source, start: usize) -> Body {
        Body {
            format,
            dialect: Dialect::GALLEY,
            source,
            start,
        }
    }

    /// The same in another dialect of Markdown.
    pub(super) fn with_dialect(self, dialect: Dialect) -> Body {
        Body { dialect, ..self }
    }

    /// The same without its first `bytes` bytes.
    pub(super) fn without_start(self, bytes: usize) -> Body {
        Body {
            start: self.start + bytes,
            ..self
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.source.text()[self.start..]
    }

    /// The file's line on which the text begins, from 1.
    pub fn first_line(&self) -> usize {
        self.source.line_of(self.start)
    }

    /// The place in the file of a range of bytes of the text, for a diagnostic about what stands there.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.start + start, self.start + end)
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Body) -> bool {
        self.format == other.format
            && self.text() == other.text()
            && self.first_line() == other.first_line()
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut body = serializer.serialize_struct("Body", 3)?;
        body.serialize_field("format", &self.format)?;
        body.serialize_field("first_line", &self.first_line())?;
        body.serialize_field("text", self.text())?;
        body.end()
    }
}
