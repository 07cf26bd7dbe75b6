//! The errors of templates, with their positions.

use std::{fmt, sync::Arc};

/// A position in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplatePosition {
    /// The path of the template in the theme, such as `partials/card.hbs`.
    pub template: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
}

impl fmt::Display for TemplatePosition {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Self {
            template,
            line,
            column,
        } = self;
        write!(formatter, "{template}:{line}:{column}")
    }
}

/// The rule that a template violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    /// The syntax is valid, and partials and helpers exist.
    Language,
    /// A partial with a computed name has a block.
    ComputedPartial,
    /// A condition has exactly one argument.
    Condition,
}

/// An error found when compiling a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {reason}")]
pub struct SyntaxError {
    /// The position in the template.
    pub position: TemplatePosition,
    /// The rule.
    pub rule: BrokenRule,
    /// The cause.
    pub reason: String,
    /// Advice for the author of the theme.
    pub help: Option<String>,
}

/// Maximum number of characters in a message. The values in it may be as long as a page.
const MESSAGE_CHARACTERS_MAX: usize = 1000;

/// Truncates a message that is too long.
fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARACTERS_MAX) {
        message.truncate(end);
        message.push('…');
    }
    message
}

/// The reason why a page cannot be rendered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}{message}", .position.as_ref().map(|position| format!("{position}: ")).unwrap_or_default())]
pub struct RenderError {
    /// The position of the innermost tag that failed; `None` until the renderer sets it.
    pub position: Option<TemplatePosition>,
    /// The path of the template or layout being rendered, even if one of its partials failed; `None` if none was being rendered.
    pub page: Option<Arc<str>>,
    /// The message.
    pub message: String,
    /// Advice for the author of the theme.
    pub help: Option<String>,
    /// Whether a limit was exceeded. Helpers must not catch such an error.
    pub is_limit: bool,
}

impl RenderError {
    /// Returns an error without a position, which the renderer adds.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            position: None,
            page: None,
            message: shortened(message.into()),
            help: None,
            is_limit: false,
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the error of a page that needs a template with a syntax error.
    pub(super) fn of_syntax(error: &SyntaxError) -> Self {
        Self {
            position: Some(error.position.clone()),
            help: error.help.clone(),
            ..Self::new(error.reason.as_str())
        }
    }

    /// Returns the error of an exceeded limit.
    pub(super) fn limit(message: impl Into<String>) -> Self {
        Self {
            is_limit: true,
            ..Self::new(message)
        }
    }

    /// Sets the template or layout being rendered.
    pub(super) fn in_page(mut self, path: &str) -> Self {
        self.page = Some(path.into());
        self
    }

    /// Sets the position, unless it is set already.
    pub(super) fn at(mut self, position: impl FnOnce() -> TemplatePosition) -> Self {
        self.position.get_or_insert_with(position);
        self
    }
}
