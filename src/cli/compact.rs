//! `galley compact`

use std::{
    collections::BTreeMap,
    io::{self, Write},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{Common, Failure, megabytes};
use crate::{
    app::AppError,
    data_folder::DataFolder,
    store::redb::{Compaction, compact},
};

/// What `compact` takes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley compact\n  galley compact --data /var/lib/galley --json\n\n\
                  The store uses the space of what was deleted again, and seldom becomes smaller by itself. This makes a new file of\n\
                  what it holds, if that is at most half as long. Stop the server before."
)]
pub struct CompactArguments {
    /// Print the lengths as one object
    #[arg(long)]
    json: bool,
}

/// Makes the store of a site that nobody serves as short as what it holds.
pub fn run(common: &Common, arguments: &CompactArguments) -> Result<ExitCode, Failure> {
    let config = common.configuration(BTreeMap::new())?;
    if !config.data.is_dir() {
        return Err(Failure::NoDataFolder(config.data));
    }
    let folder = DataFolder::open(&config.data)?;
    let compaction = compact(&folder.store()).map_err(AppError::from)?;
    let mut out = io::stdout().lock();
    if arguments.json {
        writeln!(
            out,
            "{}",
            json!({"bytes_before": compaction.bytes_before, "bytes_after": compaction.bytes_after})
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
            "The store had {before} and has {} now.",
            megabytes(compaction.bytes_after)
        )
    } else {
        format!(
            "The store has {before}, and a new one would not be half as long. It stays as it is."
        )
    }
}
