//! `galley export`

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::{Common, Failure, bar::Bar, command, counted};
use crate::{
    control::{Command, Reply, named_here},
    export::{Form, Order, Report},
};

/// Most remarks that are printed.
const PRINTED_MAX: usize = 20;

/// What `export` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley export my-site.json\n  galley export my-site --markdown\n  galley export members.csv\n  galley export my-site.json --force\n\n\
                  The JSON file is in Ghost's format and holds hashes of passwords: keep it to yourself. The folder holds everything\n\
                  that is served, and `galley serve --content DIR` serves it."
)]
pub struct ExportArguments {
    /// Where to write to: a file NAME.json in Ghost's format, a folder (with --markdown), or a list of members, NAME.csv
    target: PathBuf,
    /// Write a folder of Markdown, with pictures and other files
    #[arg(long)]
    markdown: bool,
    /// Replace what is there: the file, or what content folders are made of in the folder
    #[arg(long)]
    force: bool,
    /// Print what was written as one object
    #[arg(long)]
    json: bool,
}

/// Writes the site elsewhere.
pub fn run(common: &Common, arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(BTreeMap::new())?;
    let order = Order {
        form: form(&arguments.target, arguments.markdown).map_err(Failure::Command)?,
        // A running server has a working folder and open files of its own.
        target: named_here(&arguments.target)?,
        overwrites: arguments.force,
    };
    let bar = Bar::new("exporting", !common.quiet);
    let reply = command(&config, &Command::Export(order), &bar);
    bar.finish();
    let Reply::Exported(report) = reply? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = io::stdout().lock();
    if arguments.json {
        let report = serde_json::to_string_pretty(&report).map_err(io::Error::from)?;
        writeln!(out, "{report}")?;
    } else {
        print(&mut out, &arguments.target, &report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is meant by a name.
fn form(target: &Path, markdown: bool) -> Result<Form, String> {
    let extension = target
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    let of_file = match extension
        .as_deref()
        .and_then(|extension| extension.to_str())
    {
        Some("json") => Some(Form::Ghost),
        Some("csv") => Some(Form::Members),
        _ => None,
    };
    let name = target.display();
    match (of_file, markdown) {
        (None, true) => Ok(Form::Folder),
        (Some(form), false) => Ok(form),
        (Some(_), true) => Err(format!(
            "--markdown writes a folder, and {name} is the name of a file. Leave out --markdown, or name a folder"
        )),
        (None, false) => Err(format!(
            "what is to be written to {name}? Name a file NAME.json (Ghost's format) or NAME.csv (members), or add --markdown \
             for a content folder"
        )),
    }
}

fn print(out: &mut impl Write, target: &Path, report: &Report) -> io::Result<()> {
    writeln!(out, "{}", target.display())?;
    for (kind, count) in &report.counts {
        writeln!(out, "  {count:>7} {}", counted(kind, *count))?;
    }
    if report.remarks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNot as it is here:")?;
    for remark in report.remarks.iter().take(PRINTED_MAX) {
        writeln!(out, "  {remark}")?;
    }
    match report.remarks.len().saturating_sub(PRINTED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  … and {more} more; --json tells them"),
    }
}
