//! Syntax errors of a filter, with their positions. The messages are for clients; there is no HTTP
//! status.

use std::error::Error;
use std::fmt;

use super::tree::Span;
use super::{LENGTH_BYTES_MAX, NESTING_MAX, VALUES_MAX};

/// The first error in a filter.
///
/// Displays the problem and its position: "expected a value, found `]` (character 9)".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The kind of error.
    pub kind: SyntaxErrorKind,
    /// The offending part of the filter; empty at the end of the filter.
    pub span: Span,
    /// The position of the span, in characters from 1.
    pub character: usize,
}

/// The kind of a syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Another token is required at this position.
    Unexpected {
        /// The required token, in words.
        expected: &'static str,
        /// The character at this position; `None` at the end of the filter.
        found: Option<char>,
    },
    /// A field without a colon directly after it.
    MissingColon,
    /// A single quote without a closing one.
    UnclosedText,
    /// `"` within single quotes without a backslash before it.
    UnescapedQuote,
    /// `''`
    EmptyText,
    /// A name followed by a colon instead of a value.
    FieldAsValue,
    /// `~`, `~^` or `~$` before a value without single quotes.
    UnquotedMatch,
    /// A list with both `,` and `+`.
    MixedList,
    /// `-[a+b]`
    NegatedAllOf,
    /// More than [`LENGTH_BYTES_MAX`].
    TooLong,
    /// More than [`NESTING_MAX`].
    TooDeep,
    /// More than [`VALUES_MAX`].
    TooManyValues,
}

impl SyntaxError {
    pub(super) fn new(kind: SyntaxErrorKind, span: Span, text: &str) -> Self {
        let character = span.character(text);
        SyntaxError {
            kind,
            span,
            character,
        }
    }
}

impl Error for SyntaxError {}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.kind, self.character)
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unexpected {
                expected,
                found: Some(found),
            } => write!(f, "expected {expected}, found `{}`", printable(found)),
            Self::Unexpected {
                expected,
                found: None,
            } => write!(f, "expected {expected}, but the filter ends"),
            Self::MissingColon => f.write_str("a field must be followed directly by a colon"),
            Self::UnclosedText => f.write_str("this single quote is not closed"),
            Self::UnescapedQuote => {
                f.write_str("a double quote in this text needs a backslash before it")
            }
            Self::EmptyText => f.write_str("text in quotes must not be empty"),
            Self::FieldAsValue => {
                f.write_str("a value that begins like this must be in single quotes")
            }
            Self::UnquotedMatch => f.write_str("text to match must be in single quotes"),
            Self::MixedList => {
                f.write_str("a list is separated by `,` (any of) or by `+` (all of), not by both")
            }
            Self::NegatedAllOf => f.write_str("a list after `-` must be separated by `,`"),
            Self::TooLong => write!(f, "the filter is longer than {LENGTH_BYTES_MAX} bytes"),
            Self::TooDeep => write!(f, "more than {NESTING_MAX} nested parentheses"),
            Self::TooManyValues => write!(f, "more than {VALUES_MAX} values in one filter"),
        }
    }
}

/// Escapes unprintable characters, such as control characters, but not quotes.
fn printable(character: char) -> String {
    // `escape_debug` would put a backslash before these, which users have not typed.
    if matches!(character, '\'' | '"' | '\\') {
        character.to_string()
    } else {
        character.escape_debug().to_string()
    }
}
