//! Errors of the configuration, in the form of those of content files.

use std::process::ExitCode;

use serde::Serialize;

use crate::{
    app::AppError,
    cli::{command_failure::CommandFailure, terminal::Output},
    config::{Config, ConfigError, FilePosition},
    error::Error,
};

/// An error of the configuration, with the names that problems of content files have in JSON.
#[derive(Serialize)]
struct ConfigurationProblem {
    severity: &'static str,
    /// The file; `None` for an error of a flag or a variable.
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
}

impl ConfigurationProblem {
    fn at(position: Option<&FilePosition>, message: String) -> Self {
        Self {
            severity: "error",
            file: position.map(|position| position.path.display().to_string()),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            message,
        }
    }

    fn of(error: &ConfigError) -> Self {
        let message = error.to_string();
        let position = error.position();
        let before = position.map(|position| format!("{position}: "));
        let message = before.and_then(|before| message.strip_prefix(&before).map(str::to_owned));
        Self::at(position, message.unwrap_or_else(|| error.to_string()))
    }
}

/// Prints the errors of the configuration as a JSON list.
pub fn print_json(error: &ConfigError) -> Result<ExitCode, CommandFailure> {
    let problems = error.each().iter().map(ConfigurationProblem::of);
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
    let problem = ConfigurationProblem::at(position, error.message().to_owned());
    Output::standard().json(&[problem])?;
    Ok(ExitCode::FAILURE)
}

/// Reports that the configuration is valid and names no content folder.
pub fn report_valid(is_json: bool) -> Result<ExitCode, CommandFailure> {
    let mut out = Output::standard();
    if is_json {
        out.json(&Vec::<()>::new())?;
    } else {
        writeln!(
            out,
            "The configuration is valid, and names no content folder."
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
