//! `galley check`

mod configuration;
mod problems;
mod reading;
mod scope;
mod served_counts;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use self::{
    problems::print,
    reading::{CheckedFolder, check},
    scope::CheckScope,
};
pub use self::{
    problems::{counts, refuse_problems, summary},
    reading::report,
};
use super::{
    check_backups::NamedBackups, check_location::CheckedLocation, progress_bar::Bar,
    terminal::Output,
};
use crate::{
    app::AppError,
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    config::{self, Config, FILE, IneffectiveOption},
    content_files::{Explanation, Layout, unread_files},
};

/// The arguments of `check`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley check\n  galley check ~/site --strict\n  galley check content/posts/monday.md\n  galley check --json | jq '.[].file'\n  galley check monday.galley.zip\n  galley check /var/backups/galley\n  galley check s3://my-bucket/my-site\n\nThe exit code is 0 if all files can be used, or the backups are intact, and 1 otherwise."
)]
pub struct CheckArguments {
    /// The folder of content files [default: content], files of one, backups, or a folder or bucket
    /// (s3://bucket/prefix) of them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fail on warnings, too
    #[arg(long)]
    strict: bool,
    /// Print every problem, including those that differ only in their position
    #[arg(long)]
    all: bool,
    /// Print what each file becomes and by which rule, and check nothing
    #[arg(long, conflicts_with_all = ["strict", "all", "json"])]
    explain: bool,
    /// Print a JSON list of objects
    #[arg(long)]
    json: bool,
}

/// Reports every problem of a content folder, or of some of its files. Needs no server and writes
/// nothing.
pub fn run(
    common: &CommonArguments,
    arguments: &CheckArguments,
) -> Result<ExitCode, CommandFailure> {
    match check_named(common, arguments) {
        Err(CommandFailure::Config(error)) if arguments.json => configuration::print_json(&error),
        Err(CommandFailure::App(AppError::Config(error))) if arguments.json => {
            configuration::print_json(&error)
        }
        outcome => outcome,
    }
}

fn check_named(
    common: &CommonArguments,
    arguments: &CheckArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    // First, because a folder with moments may also have whole backups, and this checks both.
    if let Some(location) = CheckedLocation::of(&arguments.paths, &config)? {
        return location.check(common.quiet, arguments.json);
    }
    if let Some(backups) = NamedBackups::of(&arguments.paths)? {
        return backups.check(common.quiet, arguments.json);
    }
    let mut ineffective: &[IneffectiveOption] = &[];
    if arguments.paths.is_empty() {
        if let Some(outcome) = check_configuration(common, arguments, &config) {
            return outcome;
        }
        ineffective = &config.ineffective;
    }
    let scope = CheckScope::of(&arguments.paths, &config)?;
    if arguments.explain {
        return explain(&scope);
    }
    let bar = Bar::of_files(!common.quiet);
    let folder = scope.folder.clone();
    let CheckedFolder {
        mut report,
        layout,
        served,
        ignored,
        absence,
    } = check(scope.folder, &scope.content_files, config.themes(), &bar)?;
    // The content of a repository is not in a local folder.
    let is_edited = config.git.is_none() && config.write_back.writes_files();
    if arguments.paths.is_empty()
        && is_edited
        && let Err(error) = config.new_files.check(&layout)
    {
        return configuration::refuse_option(&config, error, arguments.json);
    }
    let is_whole = scope.files.is_none();
    if let Some(files) = scope.files {
        let is_selected = |path: &String| files.contains(path) && layout.kind_of(path).is_some();
        report.problems.retain(|problem| is_selected(&problem.file));
        let paths = files.iter().map(String::as_str);
        report
            .problems
            .extend(unread_files(&folder, &layout, paths));
        report.files = files.len();
    }
    if is_whole && !arguments.paths.is_empty() && report.files == 0 {
        return Err(nothing_to_check(&folder, absence));
    }
    let mut out = Output::standard();
    if arguments.json {
        configuration::print_warnings_and_problems(&mut out, ineffective, &report.problems)?;
    } else {
        configuration::print_ineffective(ineffective, common.quiet);
        print(&mut out, &report, common.quiet, arguments.all)?;
        if is_whole && !common.quiet {
            for line in about_reading(&layout).into_iter().chain(ignored) {
                out.lines(line)?;
            }
            writeln!(out, "{served}")?;
        }
    }
    let has_warnings = !ineffective.is_empty() || !report.problems.is_empty();
    let fails = report.has_errors() || (arguments.strict && has_warnings);
    Ok(ExitCode::from(u8::from(fails)))
}

/// Checks the configuration, which is all that is checked if it is invalid or names no content folder.
fn check_configuration(
    common: &CommonArguments,
    arguments: &CheckArguments,
    config: &Config,
) -> Option<Result<ExitCode, CommandFailure>> {
    if let Err(error) = config.check_start() {
        return Some(Err(AppError::Config(error).into()));
    }
    let has_content = config.content.is_some() || config::default_content().is_some();
    if has_content || (common.config.is_none() && !Path::new(FILE).exists()) {
        return None;
    }
    let ineffective = &config.ineffective;
    let fails = arguments.strict && !ineffective.is_empty();
    let reported = configuration::report_valid(ineffective, arguments.json, common.quiet);
    Some(reported.map(|()| ExitCode::from(u8::from(fails))))
}

/// Returns the line that names the generator whose project the folder is read as.
fn about_reading(layout: &Layout) -> Option<String> {
    let name = layout.project_name()?;
    Some(format!("read as a project of {name}"))
}

/// Returns the error about a folder without backups and content files, such as the mount point of an unmounted disk.
fn nothing_to_check(folder: &Path, absence: Option<String>) -> CommandFailure {
    let reason = absence.unwrap_or_else(|| "no backup and no content file".to_owned());
    CommandFailure::Command(format!(
        "{} has nothing to check: {reason}",
        folder.display()
    ))
}

/// Prints the explanations for the files of a scope: the named files, or all documents of the folder.
fn explain(scope: &CheckScope) -> Result<ExitCode, CommandFailure> {
    let explanations = Explanation::of_folder(&scope.folder, &scope.content_files);
    let mut out = Output::standard();
    for explanation in explanations {
        let is_selected = match &scope.files {
            Some(files) => files.contains(&explanation.file),
            None => explanation.is_text,
        };
        if is_selected {
            out.lines(explanation)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
