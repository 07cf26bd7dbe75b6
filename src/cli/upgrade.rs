//! `galley upgrade`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::{terminal::Output, version::VERSION};
use crate::{
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    releases::NewestRelease,
};

/// The arguments of `upgrade`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley upgrade --check\n  galley upgrade --check --json\n\n\
                  It reads the document at upgrade.url of galley.toml, and installs nothing."
)]
pub struct UpgradeArguments {
    /// Show whether there is a newer release
    #[arg(long, required = true)]
    check: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Prints whether there is a newer release.
pub fn run(
    common: &CommonArguments,
    arguments: &UpgradeArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    let Some(url) = &config.upgrade_url else {
        return Err(CommandFailure::Command(
            "no URL of releases is set: set upgrade.url in galley.toml".to_owned(),
        ));
    };
    let newest = NewestRelease::read(url)?;
    let is_newer = newest.is_newer()?;
    let mut out = Output::standard();
    if arguments.json {
        let report = json!({
            "current": VERSION,
            "newest": newest.version,
            "is_newer": is_newer,
            "url": newest.url,
            "changes_store": newest.changes_store(),
        });
        out.json_line(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    if !is_newer {
        writeln!(out, "Galley {VERSION} is the newest release.")?;
        return Ok(ExitCode::SUCCESS);
    }
    out.part(format_args!(
        "Galley {} is newer than this one, {VERSION}",
        newest.version
    ))?;
    match &newest.url {
        Some(url) => writeln!(out, ": {url}")?,
        None => writeln!(out, ".")?,
    }
    if newest.changes_store() {
        writeln!(
            out,
            "It changes the format of the store, which this version then cannot read. Back up first."
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
