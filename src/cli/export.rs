//! `galley export`

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::{progress_bar::Bar, terminal::Output};
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, quantities::counted,
        site_commands::command,
    },
    control::{Command, Reply, named_here},
    export::{ExportFormat, ExportRequest, Report},
    progress::Progress,
};

/// Maximum number of remarks that are printed.
const PRINTED_MAX: usize = 20;

/// The arguments of `export`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley export my-site.json\n  galley export my-site --markdown\n  galley export members.csv\n  galley export my-site.json --force\n\n\
                  The JSON file is in Ghost's format and contains password hashes: keep it private. The folder contains everything\n\
                  that is served, and `galley serve --content DIR` serves it."
)]
pub struct ExportArguments {
    /// The target: a file NAME.json in Ghost's format, a folder (with --markdown), or a list of
    /// members, NAME.csv
    target: PathBuf,
    /// Write a folder of Markdown, with images and other files
    #[arg(long)]
    markdown: bool,
    /// Replace the target: the file, or the content files in the folder
    #[arg(long)]
    force: bool,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

/// Exports the site.
pub fn run(
    common: &CommonArguments,
    arguments: &ExportArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let order = ExportRequest {
        form: form(&arguments.target, arguments.markdown).map_err(CommandFailure::Command)?,
        // The path must be absolute: a running server has a different working folder.
        target: named_here(&arguments.target)?,
        overwrites: arguments.force,
    };
    let bar = Bar::new("exporting", !common.quiet);
    let reply = command(&config, &Command::Export(order), &bar);
    bar.finish();
    let Reply::Exported(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report)?;
    } else {
        print(&mut out, &arguments.target, &report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the export format for the name of the target.
fn form(target: &Path, markdown: bool) -> Result<ExportFormat, String> {
    let extension = target
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    let file_format = match extension
        .as_deref()
        .and_then(|extension| extension.to_str())
    {
        Some("json") => Some(ExportFormat::Ghost),
        Some("csv") => Some(ExportFormat::Members),
        _ => None,
    };
    let name = target.display();
    match (file_format, markdown) {
        (None, true) => Ok(ExportFormat::Folder),
        (Some(form), false) => Ok(form),
        (Some(_), true) => Err(format!(
            "--markdown writes a folder, but {name} is the name of a file. Leave out --markdown, or name a folder"
        )),
        (None, false) => Err(format!(
            "the format of {name} is unknown. Name a file NAME.json (Ghost's format) or NAME.csv (members), or add --markdown \
             for a content folder"
        )),
    }
}

fn print(out: &mut Output, target: &Path, report: &Report) -> io::Result<()> {
    writeln!(out, "{}", target.display())?;
    for (kind, count) in &report.counts {
        writeln!(out, "  {count:>7} {}", counted(kind, *count))?;
    }
    if report.remarks.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "Differences from this site:")?;
    for remark in report.remarks.iter().take(PRINTED_MAX) {
        writeln!(out, "  {remark}")?;
    }
    match report.remarks.len().saturating_sub(PRINTED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more; --json lists them"),
    }
}
