//! What is to be said about a theme, in the shape that clients of Ghost read.

use serde::Serialize;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It does not work.
    Error,
    /// It works.
    Warning,
}

/// One rule that a theme does not keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the theme is refused for it.
    pub fatal: bool,
    /// How bad it is.
    pub level: Level,
    /// The rule.
    pub rule: String,
    /// Why it is one, and what to do.
    pub details: String,
    /// Where it is not kept.
    pub failures: Vec<Failure>,
    /// What programs know the rule by.
    pub code: &'static str,
}

/// A place where a rule is not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The file.
    #[serde(rename = "ref")]
    pub file: String,
    /// What is wrong there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The rule.
    pub rule: &'static str,
}

/// All that is to be said about a theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What does not work.
    pub errors: Vec<Finding>,
    /// What works.
    pub warnings: Vec<Finding>,
}

impl Report {
    /// Whether the theme is refused.
    pub fn is_fatal(&self) -> bool {
        self.errors.iter().any(|finding| finding.fatal)
    }
}
