//! The rules that a theme breaks, as they are found.

use super::{Finding, Level, Report, RuleViolation};
use crate::themes::files::PACKAGE;

/// Most failures of one rule that are reported.
const FAILURES_MAX: usize = 20;

/// Collects the broken rules.
#[derive(Default)]
pub struct Rules {
    /// The findings.
    pub report: Report,
}

/// Files that break a rule, each with the problem in it.
pub type Positions = Vec<(String, Option<String>)>;

impl Rules {
    /// Adds a broken rule for which the theme is refused, if there are files that break it.
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

    /// Adds a broken rule for which the theme is refused.
    pub fn break_fatal(
        &mut self,
        code: &'static str,
        rule: String,
        details: &str,
        positions: Positions,
    ) {
        self.add(code, (Level::Error, true), rule, details, positions);
    }

    /// Adds a broken rule with which the theme is taken, if there are files that break it.
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

    /// Adds a broken rule about the package, which does not prevent the theme from being used.
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

/// Returns the beginning of a name, short enough for a message.
pub fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
