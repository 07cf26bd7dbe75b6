//! The response to a request for a page.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    routing::FeedOf,
    templates::{RenderError, SyntaxError, TemplatePosition},
};

/// The response to a request for a page.
#[derive(Debug)]
pub enum PageResponse {
    /// A page, which may be an error page.
    Page(RenderedPage),
    /// A redirect.
    Redirect {
        /// The path including the site's subdirectory, or a URL.
        location: String,
        /// Whether the redirect is permanent, so that clients may cache it.
        is_permanent: bool,
        /// Whether the redirect only adds a slash at the end of the path.
        adds_slash: bool,
    },
    /// A feed, which the caller writes.
    Feed(FeedOf),
}

/// A rendered page.
#[derive(Debug)]
pub struct RenderedPage {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub content_type: String,
    /// The content, usually HTML.
    pub text: String,
    /// Whether the page replaces a page that does not exist. The status may differ from 404, because the error template may fail
    /// too.
    pub is_missing: bool,
    /// The reason for an error page, if the theme or the routes are at fault.
    pub problem: Option<ThemeProblem>,
}

/// A problem of a theme or its routes, reported to its author.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThemeProblem {
    /// The path of the template in the theme, if a template is at fault.
    pub template: Option<String>,
    /// The line in the template, from 1.
    pub line: Option<usize>,
    /// The column in the line, in characters from 1.
    pub column: Option<usize>,
    /// The description of the problem.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl ThemeProblem {
    /// Returns a problem without a position.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            template: None,
            line: None,
            column: None,
            message: message.into(),
            help: None,
        }
    }

    /// Returns whether another problem is at the same position of a template.
    pub fn is_at_position_of(&self, other: &Self) -> bool {
        let position = |problem: &Self| (problem.template.clone(), problem.line, problem.column);
        self.line.is_some() && position(self) == position(other)
    }

    fn at(position: Option<&TemplatePosition>, message: &str, help: Option<&str>) -> Self {
        Self {
            template: position.map(|position| position.template.to_string()),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            message: message.to_owned(),
            help: help.map(str::to_owned),
        }
    }
}

impl From<&RenderError> for ThemeProblem {
    fn from(error: &RenderError) -> Self {
        Self::at(
            error.position.as_ref(),
            &error.message,
            error.help.as_deref(),
        )
    }
}

impl From<&SyntaxError> for ThemeProblem {
    fn from(error: &SyntaxError) -> Self {
        Self::at(Some(&error.position), &error.reason, error.help.as_deref())
    }
}

impl fmt::Display for ThemeProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = [self.line, self.column].into_iter().flatten();
        if let Some(template) = &self.template {
            let numbers: String = position.map(|number| format!(":{number}")).collect();
            write!(formatter, "{template}{numbers}: ")?;
        }
        write!(formatter, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(formatter, " ({help})"),
            None => Ok(()),
        }
    }
}
