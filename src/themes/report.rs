//! The result of validating a theme, in the shape that clients of Ghost read.

use serde::Serialize;

/// The severity of a finding, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A part of the theme does not work.
    Error,
    /// The theme works despite the violation.
    Warning,
    /// Advice, which the API does not show.
    Recommendation,
}

/// A rule that a theme violates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether the theme is refused because of it.
    pub fatal: bool,
    /// The severity.
    pub level: Level,
    /// The rule.
    pub rule: String,
    /// The reason for the rule, and how to comply with it.
    pub details: String,
    /// The files that violate the rule.
    pub failures: Vec<RuleViolation>,
    /// The code of the rule, which programs evaluate.
    pub code: &'static str,
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleViolation {
    /// The file.
    #[serde(rename = "ref")]
    pub file: String,
    /// The problem in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The rule.
    pub rule: &'static str,
}

/// All findings about a theme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Findings with the level `Error`.
    pub errors: Vec<Finding>,
    /// Findings with the level `Warning`.
    pub warnings: Vec<Finding>,
    /// Findings with the level `Recommendation`.
    pub recommendations: Vec<Finding>,
}

impl Report {
    /// Returns all findings, most severe first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let milder = self.warnings.iter().chain(&self.recommendations);
        self.errors.iter().chain(milder)
    }

    /// Returns whether the theme is refused.
    pub fn is_fatal(&self) -> bool {
        self.errors.iter().any(|finding| finding.fatal)
    }
}
