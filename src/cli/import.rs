//! `galley import`

use std::{collections::BTreeMap, io::Write, path::PathBuf, process::ExitCode};

use clap::Args;

use super::{Common, Failure};
use crate::{
    app::OpenSite,
    import::{self, Given, Notes, Options, Progress, Report},
};

/// What `import` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley import my-site.ghost.2026-01-31.json\n  galley import export.json --dry-run\n  galley import export.json --url https://example.com --json"
)]
pub struct ImportArguments {
    /// An export of Ghost 4, 5 or 6
    file: PathBuf,
    /// Tell what would come in, and keep nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one object
    #[arg(long)]
    json: bool,
    /// The site's public address: what leads there in the file leads to the site itself [default: as with `serve`]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

/// Most notes of a kind that are printed.
const PRINTED_MAX: usize = 20;

struct Silent;

impl Progress for Silent {
    fn advance(&self, _done: u64, _total: u64) {}
}

/// Brings in what is given.
pub fn run(common: &Common, arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let mut flags = BTreeMap::new();
    if let Some(url) = &arguments.url {
        flags.insert("url", url.clone());
    }
    let config = common.configuration(flags)?;
    let failed = |error: crate::error::Error| Failure::Command(error.to_string());
    let given = Given::at(&arguments.file).map_err(failed)?;
    let open = OpenSite::open(&config)?;
    let options = Options {
        site: open.addresses(&config)?.url().clone(),
        data: config.data.clone(),
        dry_run: arguments.dry_run,
    };
    let report = import::import(&open.site, &given, &options, &Silent).map_err(failed)?;
    let mut out = std::io::stdout().lock();
    match arguments.json {
        true => {
            let report = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
            writeln!(out, "{report}")?;
        }
        false => print(&mut out, &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    writeln!(
        out,
        "{:<14}{:>9}{:>9}{:>11}",
        "", "added", "updated", "unchanged"
    )?;
    for (kind, count) in &report.counts {
        writeln!(
            out,
            "{kind:<14}{:>9}{:>9}{:>11}",
            count.added, count.updated, count.unchanged
        )?;
    }
    print_notes(out, "Changed", &report.changed)?;
    print_notes(out, "Left out", &report.left_out)?;
    if report.dry_run {
        writeln!(out, "\nNothing was kept: this was a dry run.")?;
    }
    Ok(())
}

fn print_notes(out: &mut impl Write, title: &str, notes: &Notes) -> std::io::Result<()> {
    if notes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    for note in notes.notes.iter().take(PRINTED_MAX) {
        writeln!(out, "  {}: {}", note.subject, note.text)?;
    }
    match notes.len().saturating_sub(PRINTED_MAX) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more; --json tells them"),
    }
}
