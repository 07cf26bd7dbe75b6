//! Problems of the configuration, in the form of those of content files.

use std::{io, process::ExitCode};

use serde::Serialize;
use tracing::Level;

use crate::{
    app::AppError,
    cli::{
        command_failure::CommandFailure,
        terminal::{self, Output},
    },
    config::{Config, ConfigError, FilePosition, IneffectiveOption},
    content_text::{Diagnostic, Severity},
    error::Error,
};

/// A problem of the configuration or of a content file, for JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum CheckedProblem<'a> {
    Configuration(ConfigurationProblem),
    File(&'a Diagnostic),
}

/// A problem of the configuration, with the names that problems of content files have in JSON.
#[derive(Serialize)]
struct ConfigurationProblem {
    severity: Severity,
    /// The file; `None` for a problem of a flag or a variable.
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
}

impl ConfigurationProblem {
    /// Returns the problem with this message, which begins with the position.
    fn new(severity: Severity, position: Option<&FilePosition>, message: &str) -> Self {
        let before = position.map(|position| format!("{position}: "));
        let after = before.and_then(|before| message.strip_prefix(&before));
        Self {
            severity,
            file: position.map(|position| position.path.display().to_string()),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            message: after.unwrap_or(message).to_owned(),
        }
    }

    fn of_error(error: &ConfigError) -> Self {
        Self::new(Severity::Error, error.position(), &error.to_string())
    }

    fn of_option(option: &IneffectiveOption) -> Self {
        Self::new(Severity::Warning, option.position(), &option.to_string())
    }
}

/// Prints the errors of the configuration as a JSON list.
pub fn print_json(error: &ConfigError) -> Result<ExitCode, CommandFailure> {
    let problems = error.each().iter().map(ConfigurationProblem::of_error);
    Output::standard().json(&problems.collect::<Vec<_>>())?;
    Ok(ExitCode::FAILURE)
}

/// Prints the error of an option that does not fit the content folder, as JSON, or returns it.
pub fn refuse_option(
    config: &Config,
    error: Error,
    is_json: bool,
) -> Result<ExitCode, CommandFailure> {
    if !is_json {
        return Err(AppError::Site(error).into());
    }
    let position = error
        .property_name()
        .and_then(|key| config.values.position(key));
    let problem = ConfigurationProblem::new(Severity::Error, position, error.message());
    Output::standard().json(&[problem])?;
    Ok(ExitCode::FAILURE)
}

/// Prints the options without effect on standard error, unless `quiet`.
pub fn print_ineffective(options: &[IneffectiveOption], quiet: bool) {
    for option in options.iter().filter(|_| !quiet) {
        terminal::complain(Level::WARN, format_args!("warning: {option}"));
    }
}

/// Prints the options without effect and the problems of content files as a JSON list.
pub fn print_warnings_and_problems(
    out: &mut Output,
    options: &[IneffectiveOption],
    problems: &[Diagnostic],
) -> io::Result<()> {
    let options = options.iter().map(ConfigurationProblem::of_option);
    let options = options.map(CheckedProblem::Configuration);
    let problems = options.chain(problems.iter().map(CheckedProblem::File));
    out.json(&problems.collect::<Vec<_>>())
}

/// Reports that the configuration is valid and names no content folder.
pub fn report_valid(
    options: &[IneffectiveOption],
    is_json: bool,
    quiet: bool,
) -> Result<(), CommandFailure> {
    let mut out = Output::standard();
    if is_json {
        return Ok(print_warnings_and_problems(&mut out, options, &[])?);
    }
    print_ineffective(options, quiet);
    writeln!(
        out,
        "The configuration is valid, and names no content folder."
    )?;
    Ok(())
}
