//! Problems of content files, as they are printed.

use std::io::{self, IsTerminal};

use crate::{
    cli::{command_failure::CommandFailure, quantities::numbered, terminal::Output},
    content_files::ContentReport,
    content_text::{Diagnostic, DiagnosticGroup},
};

/// Prints problems and their number.
pub(super) fn print(
    out: &mut Output,
    report: &ContentReport,
    quiet: bool,
    all: bool,
) -> io::Result<()> {
    let shown = |problem: &&Diagnostic| !quiet || problem.is_error();
    let problems = report.problems.iter().filter(shown);
    let problems = if all {
        problems.map(ToString::to_string).collect()
    } else {
        summary(problems)
    };
    for problem in problems {
        out.lines(problem)?;
        writeln!(out)?;
    }
    if quiet {
        Ok(())
    } else {
        writeln!(out, "{}", counts(report))
    }
}

/// Returns the numbers of files, errors and warnings, as text.
pub fn counts(report: &ContentReport) -> String {
    let files = numbered(report.files, "file");
    let (errors, warnings) = (errors(&report.problems), warnings(&report.problems));
    format!("{files}, {errors}, {warnings}")
}

/// Returns the texts of problems: similar ones are grouped and, on a terminal, limited to a
/// readable number.
pub fn summary<'a>(problems: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<String> {
    /// Maximum number of groups on a terminal. If there are more, errors come before warnings.
    const GROUPS_MAX: usize = 30;
    let mut groups = DiagnosticGroup::all(problems);
    let mut left_out = 0;
    if io::stdout().is_terminal() && groups.len() > GROUPS_MAX {
        groups.sort_by_key(|group| !group.is_error());
        left_out = groups.split_off(GROUPS_MAX).len();
    }
    let mut shown: Vec<String> = groups.iter().map(ToString::to_string).collect();
    if left_out > 0 {
        let kinds = numbered(left_out, "kind");
        shown.push(format!(
            "… and {kinds} of problems not shown; `galley check --all` shows all"
        ));
    }
    shown
}

/// Returns the number of errors, as text.
fn errors(problems: &[Diagnostic]) -> String {
    let errors = problems.iter().filter(|problem| problem.is_error());
    numbered(errors.count(), "error")
}

/// Returns the number of warnings, as text.
fn warnings(problems: &[Diagnostic]) -> String {
    let warnings = problems.iter().filter(|problem| !problem.is_error());
    numbered(warnings.count(), "warning")
}

/// Stops a strict command if there is any problem; `what_follows` names the step that is cancelled.
///
/// # Errors
///
/// If there is a problem.
pub fn refuse_problems(problems: &[Diagnostic], what_follows: &str) -> Result<(), CommandFailure> {
    if problems.is_empty() {
        return Ok(());
    }
    let (errors, warnings) = (errors(problems), warnings(problems));
    Err(CommandFailure::Command(format!(
        "{errors} and {warnings} in the content files: {what_follows} (--strict)"
    )))
}
