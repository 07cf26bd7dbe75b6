//! Errors of documents, with their positions.

use crate::content_text::span::Span;

/// A syntax error and its position.
#[derive(Debug)]
pub struct DocumentError {
    pub span: Span,
    pub message: String,
    pub advice: &'static str,
    /// The way a lenient reader handles the error.
    pub remedy: &'static str,
}

impl DocumentError {
    pub(super) fn new(
        span: Span,
        message: impl Into<String>,
        advice: &'static str,
    ) -> DocumentError {
        DocumentError {
            span,
            message: message.into(),
            advice,
            remedy: "",
        }
    }

    /// Returns the message of a lenient reader.
    pub fn remark(&self) -> String {
        format!("{}{}", self.message, self.remedy)
    }
}
