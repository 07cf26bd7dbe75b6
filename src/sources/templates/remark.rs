//! What is to be said about places in a text.

/// Most remarks about one text that are kept; one with more is not meant for this.
pub(super) const REMARKS_MAX: usize = 100;

/// A remark about what stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1.
    pub line: usize,
    /// What is to be said.
    pub text: String,
}
