//! Collects the rules that a theme violates.

use super::{Finding, Level, Report, RuleViolation};
use crate::themes::files::PACKAGE;

/// Maximum number of reported failures of one rule.
const FAILURES_MAX: usize = 20;

/// The violated rules.
#[derive(Default)]
pub struct Rules {
    /// The findings.
    pub report: Report,
}

/// The files that violate a rule, each with the problem in it.
pub type Positions = Vec<(String, Option<String>)>;

impl Rules {
    /// Adds a violated rule that causes the theme to be refused, if any files violate it.
    pub fn break_where(
        &mut self,
        code: &'static str,
        rule: &str,
        details: &str,
        positions: Positions,
    ) {
        if !positions.is_empty() {
            self.break_fatal(code, rule.to_owned(), details, positions);
        }
    }

    /// Adds a violated rule that causes the theme to be refused.
    pub fn break_fatal(
        &mut self,
        code: &'static str,
        rule: String,
        details: &str,
        positions: Positions,
    ) {
        self.add(code, (Level::Error, true), rule, details, positions);
    }

    /// Adds a violated rule that does not cause the theme to be refused, if any files violate it.
    pub fn report_where(
        &mut self,
        code: &'static str,
        level: Level,
        rule: &str,
        details: &str,
        positions: Positions,
    ) {
        if !positions.is_empty() {
            self.add(code, (level, false), rule.to_owned(), details, positions);
        }
    }

    fn add(
        &mut self,
        code: &'static str,
        (level, fatal): (Level, bool),
        rule: String,
        details: &str,
        positions: Positions,
    ) {
        let failure = |(file, message)| RuleViolation {
            file,
            message,
            rule: code,
        };
        let finding = Finding {
            fatal,
            level,
            rule,
            details: details.to_owned(),
            failures: positions
                .into_iter()
                // A theme of 10,000 files may violate a rule in each; the response stays readable.
                .take(FAILURES_MAX)
                .map(failure)
                .collect(),
            code,
        };
        let findings = match level {
            Level::Error => &mut self.report.errors,
            Level::Warning => &mut self.report.warnings,
            Level::Recommendation => &mut self.report.recommendations,
        };
        findings.push(finding);
    }

    /// Adds a violated rule about the package, which does not cause the theme to be refused.
    pub fn break_rule(
        &mut self,
        code: &'static str,
        level: Level,
        rule: &str,
        details: &str,
        message: Option<String>,
    ) {
        let positions = vec![(PACKAGE.to_owned(), message)];
        self.report_where(code, level, rule, details, positions);
    }
}

/// Truncates a name for use in a message.
pub fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
