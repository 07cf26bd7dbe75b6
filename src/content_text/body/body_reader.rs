//! The language of a body, and the settings with which it is read.

use serde::Serialize;

use crate::render::markdown::{BodyUrl, Dialect};

/// The language of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyFormat {
    /// Markdown.
    Markdown,
    /// HTML, which is not changed.
    Html,
    /// Markdown that becomes a Lexical document, with fenced blocks that contain its nodes as JSON.
    Lexical,
}

/// Reads the bodies of a file, and writes them.
#[derive(Clone, Copy)]
pub struct BodyReader<'r> {
    /// The language of the body.
    pub format: BodyFormat,
    /// The dialect of its Markdown.
    pub dialect: Dialect,
    /// Returns the stored form of a URL of the body; `None` if it is unchanged.
    pub resolve: &'r dyn Fn(BodyUrl<'_>) -> Option<String>,
    /// URLs that an edit may add, each in the form to write and in stored form.
    pub urls: &'r [(String, String)],
    /// Expands templates and components before the Markdown is parsed.
    pub expand: Option<&'r dyn Fn(&str) -> Expansion>,
}

/// A body with expanded templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The expanded text.
    pub text: String,
    /// The line of the body, counted from 0, from which each line of the text originates.
    pub lines: Vec<usize>,
}
