//! `galley compact`

use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use serde_json::json;

use super::terminal::Output;
use crate::{
    app::AppError,
    cli::{
        command_failure::CommandFailure, common_arguments::CommonArguments, quantities::megabytes,
    },
    data_folder::DataFolder,
    store::redb::{Compaction, compact},
};

/// The arguments of `compact`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley compact\n  galley compact --data /var/lib/galley --json\n\n\
                  The store reuses the space of deleted records, and seldom shrinks automatically. This command rewrites it into a new\n\
                  file, if that is at most half as long. Stop the server first."
)]
pub struct CompactArguments {
    /// Print the sizes as a JSON object
    #[arg(long)]
    json: bool,
}

/// Shrinks the store of a site that is not being served to the size of its content.
pub fn run(
    common: &CommonArguments,
    arguments: &CompactArguments,
) -> Result<ExitCode, CommandFailure> {
    let config = common.configuration(BTreeMap::new())?;
    if !config.data.is_dir() {
        return Err(CommandFailure::NoDataFolder(config.data));
    }
    DataFolder::refuse_replica(&config.data)?;
    let folder = DataFolder::open(&config.data)?;
    let compaction = compact(&folder.store()).map_err(AppError::from)?;
    let mut out = Output::standard();
    if arguments.json {
        out.json_line(
            &json!({"bytes_before": compaction.bytes_before, "bytes_after": compaction.bytes_after}),
        )?
    } else {
        writeln!(out, "{}", in_words(compaction))?
    }
    Ok(ExitCode::SUCCESS)
}

fn in_words(compaction: Compaction) -> String {
    let before = megabytes(compaction.bytes_before);
    if compaction.bytes_after < compaction.bytes_before {
        format!(
            "The store shrank from {before} to {}.",
            megabytes(compaction.bytes_after)
        )
    } else {
        format!(
            "The store has {before}; a new file would be more than half that size, so it was not rewritten."
        )
    }
}
