//! What is to be said about a place in a text.

/// A remark about what stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1.
    pub line: usize,
    /// What is to be said.
    pub text: String,
}

impl Remark {
    /// A remark about what stands at the byte `place` of `whole`.
    pub fn at(whole: &str, place: usize, text: impl Into<String>) -> Self {
        let before = &whole.as_bytes()[..place];
        Self {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            text: text.into(),
        }
    }
}
