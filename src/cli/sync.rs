//! `galley sync`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;

use super::{check, repository, terminal::Output};
use crate::{
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, site_commands::command,
    },
    control::{Command, Reply},
    progress::NoProgress,
};

/// The arguments of `sync`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley sync\n  galley sync --data /var/lib/galley --json\n\nThe exit code is 0 if the newest commit is served, 1 if it is refused or the repository does not respond."
)]
pub struct SyncArguments {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Pulls the repository now, and prints the result.
pub fn run(
    common: &CommonArguments,
    arguments: &SyncArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let Reply::Synced(report) = command(&config, &Command::Sync, &NoProgress)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let mut out = Output::standard();
    if arguments.json {
        out.json(&report)?;
    } else {
        repository::print(&mut out, &report.git)?;
        for problem in check::summary(&report.problems) {
            writeln!(out)?;
            out.lines(problem)?;
        }
    }
    Ok(if report.git.is_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
