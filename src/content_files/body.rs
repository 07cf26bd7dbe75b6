//! The body of a content file.

use serde::{Serialize, Serializer};

pub use crate::content_text::BodyFormat;
use crate::{
    content_text::{Source, Span},
    render::markdown::Dialect,
};

/// The text after the front matter. It shares the memory of the file; its lines end in `\n`.
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

    /// Returns the body in another dialect of Markdown.
    pub(super) fn with_dialect(self, dialect: Dialect) -> Body {
        Body { dialect, ..self }
    }

    /// Returns the body without its first `bytes` bytes.
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

    /// Returns the line of the file on which the body begins, from 1.
    pub fn first_line(&self) -> usize {
        self.source.line_of(self.start)
    }

    /// Returns the position in the file of a range of bytes of the body, for a diagnostic.
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
