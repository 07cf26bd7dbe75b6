//! `galley version`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::terminal::Output;
use crate::{
    api::headers::API_VERSION_NUMBER, backup, cli::command_failure::CommandFailure, store,
};

/// The version of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The target that it was built for.
const TARGET: &str = env!("BUILD_TARGET");

/// The commit that it was built from, if the build sets it.
const COMMIT: Option<&str> = option_env!("GALLEY_COMMIT");

/// The features that it was built with.
const FEATURES: &[&str] = if cfg!(feature = "jemalloc") {
    &["jemalloc"]
} else {
    &[]
};

/// The arguments of `version`.
#[derive(Args)]
#[command(after_help = "Examples:\n  galley version\n  galley version --json")]
pub struct VersionArguments {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the version.
pub fn run(arguments: &VersionArguments) -> Result<ExitCode, CommandFailure> {
    let mut out = Output::standard();
    if arguments.json {
        let version = json!({
            "version": VERSION,
            "commit": COMMIT,
            "target": TARGET,
            "store_format": store::FORMAT_VERSION,
            "backup_format": backup::FORMAT,
            "api_version": API_VERSION_NUMBER,
            "features": FEATURES,
        });
        out.json_line(&version)?;
        return Ok(ExitCode::SUCCESS);
    }
    out.part(format_args!("galley {VERSION} for {TARGET}"))?;
    if let Some(commit) = COMMIT {
        out.part(format_args!(", commit {commit}"))?;
    }
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}
