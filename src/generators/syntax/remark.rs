//! Remarks about positions in a text.

/// Maximum number of remarks about a text. A text with more was probably not written for this generator.
pub(super) const REMARKS_MAX: usize = 100;

/// A remark about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1.
    pub line: usize,
    /// The message.
    pub text: String,
}
