//! `galley restore`

use std::{
    collections::BTreeMap,
    io::{self, Write},
    ops::ControlFlow,
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;

use super::{CommandFailure, CommonArguments, check, progress_bar::Bar};
use crate::{backup, import::Progress};

/// The arguments of `restore`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley restore monday.galley.zip --data /var/lib/galley\n  galley restore monday.galley.zip --data trial && galley serve --data trial --no-content\n\n\
                  The data folder must be empty or not exist: a backup never replaces a site. Everything in the backup is verified\n\
                  before anything is written, and after a failure nothing is left behind."
)]
pub struct RestoreArguments {
    /// The backup
    file: PathBuf,
    /// Print the report as a JSON object
    #[arg(long)]
    json: bool,
}

/// Restores a backup into a new data folder.
pub fn run(
    common: &CommonArguments,
    arguments: &RestoreArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let bar = Bar::new("restoring", !common.quiet);
    let restored = backup::restore(&arguments.file, &config.data, &|done, total| {
        bar.advance(done, total);
        ControlFlow::Continue(())
    });
    bar.finish();
    let verdict = restored?;
    let mut out = io::stdout().lock();
    if arguments.json {
        let verdict = serde_json::to_string_pretty(&verdict).map_err(io::Error::from)?;
        writeln!(out, "{verdict}")?;
    } else {
        check::print_backup(&mut out, &arguments.file, &verdict)?;
        writeln!(out, "Restored into {}.", config.data.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
