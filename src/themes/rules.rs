//! The rules that a theme breaks, as they are found.

use super::{Finding, Level, PACKAGE, Report, RuleViolation};

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
        self.add_error(code, true, rule, details, positions);
    }

    /// Adds a broken rule with which the theme is taken, if there are files that break it.
    pub fn report_where(
        &mut self,
        code: &'static str,
        rule: &str,
        details: &str,
        positions: Positions,
    ) {
        if !positions.is_empty() {
            self.add_error(code, false, rule.to_owned(), details, positions);
        }
    }

    fn add_error(
        &mut self,
        code: &'static str,
        fatal: bool,
        rule: String,
        details: &str,
        positions: Positions,
    ) {
        let failure = |(file, message)| RuleViolation {
            file,
            message,
            rule: code,
        };
        self.report.errors.push(Finding {
            fatal,
            level: Level::Error,
            rule,
            details: details.to_owned(),
            failures: positions
                .into_iter()
                .take(FAILURES_MAX)
                .map(failure)
                .collect(),
            code,
        });
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
        let finding = Finding {
            fatal: false,
            level,
            rule: rule.to_owned(),
            details: details.to_owned(),
            failures: vec![RuleViolation {
                file: PACKAGE.to_owned(),
                message,
                rule: code,
            }],
            code,
        };
        match level {
            Level::Error => self.report.errors.push(finding),
            Level::Warning => self.report.warnings.push(finding),
        }
    }
}

/// Returns the beginning of a name, short enough for a message.
pub fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
