//! The errors of templates, with the position that they are at.

use std::{fmt, sync::Arc};

/// A position in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplatePosition {
    /// The path of the template in its theme, such as `partials/card.hbs`.
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

/// The rule that a template breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenRule {
    /// It is valid, and its partials and helpers exist.
    Language,
    /// A partial whose name is computed has a block.
    ComputedPartial,
    /// A condition has one argument.
    Condition,
}

/// The reason why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {reason}")]
pub struct SyntaxError {
    /// Its position.
    pub position: TemplatePosition,
    /// The rule.
    pub rule: BrokenRule,
    /// The cause.
    pub reason: String,
    /// Advice for the author of the theme.
    pub help: Option<String>,
}

/// Most characters of a message. The values in it may be as long as a page.
const MESSAGE_CHARACTERS_MAX: usize = 1000;

/// Returns a message whose end is left out if it is too long.
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
    /// The position of the innermost tag that failed; `None` until the renderer has added it.
    pub position: Option<TemplatePosition>,
    /// The path of the template or layout that was rendered, whichever partial failed in it; `None` if none was.
    pub page: Option<Arc<str>>,
    /// The message.
    pub message: String,
    /// Advice for the author of the theme.
    pub help: Option<String>,
    /// Whether a limit ended the rendering: no helper may catch it.
    pub is_limit: bool,
}

impl RenderError {
    /// Returns an error whose position the renderer adds.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            position: None,
            page: None,
            message: shortened(message.into()),
            help: None,
            is_limit: false,
        }
    }

    /// Returns it with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the error of a text that is not a template, which a page needs.
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

    /// Returns it as one of a template or layout.
    pub(super) fn in_page(mut self, path: &str) -> Self {
        self.page = Some(path.into());
        self
    }

    /// Returns it with a position, unless it has one.
    pub(super) fn at(mut self, position: impl FnOnce() -> TemplatePosition) -> Self {
        self.position.get_or_insert_with(position);
        self
    }
}
