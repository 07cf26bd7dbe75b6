//! Positions in content files, and values with their positions.

use std::ops::{Deref, Range};

use serde::{Serialize, Serializer};

/// Maximum size of a content file, in bytes. Images and other files have no such limit.
pub const FILE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A range of bytes in the decoded text of a content file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The end, exclusive.
    pub end: usize,
}

impl Span {
    /// Returns the range from `start` to before `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}

/// A value and its position. Derefs to the value, and is serialised as the value alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The position.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Returns a value with its position.
    pub fn new(value: T, span: Span) -> Spanned<T> {
        Spanned { value, span }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}
