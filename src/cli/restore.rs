//! `galley restore`

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::{CommandFailure, CommonArguments, check_backups, progress_bar::Bar, terminal::Output};
use crate::{
    app::AppError,
    backup::{BackupError, BegunRestore, Destination, StoredBackup},
    config::Config,
    progress::Progress,
};

/// The arguments of `restore`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley restore monday.galley.zip --data /var/lib/galley\n  galley restore monday.galley.zip --data trial && galley serve --data trial --no-content\n  galley restore s3://my-bucket/my-site --data restored\n\n\
                  The data folder must be empty or not exist: a backup never replaces a site. Everything in the backup is verified\n\
                  before anything is written, and after a failure nothing is left behind. If the command is killed, no other one\n\
                  opens the folder, and the next restore begins again."
)]
pub struct RestoreArguments {
    /// The backup: a file; or a folder or bucket of backups (s3://bucket/prefix), for the newest in
    /// it, or one in the bucket (s3://bucket/prefix/NAME)
    #[arg(value_name = "FILE|DIR|URL")]
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
    let collected = find(&arguments.file, &config)?;
    let uploads = config.uploads();
    if config.uploads_bucket.is_none() {
        uploads.check().map_err(AppError::from)?;
    }
    let restore = || {
        let mut begun = BegunRestore::begin(&config.data, &uploads)?;
        match &collected {
            Some((from, found)) => {
                let file = begun.fetch(from, found, &bar)?;
                begun.complete(&file, &bar)
            }
            None => begun.complete(&arguments.file, &bar),
        }
    };
    let restored = restore();
    bar.finish();
    let verdict = restored?;
    let shown = match &collected {
        Some((from, found)) => &Path::new(&from.to_string()).join(&found.name),
        None => &arguments.file,
    };
    let mut out = Output::standard();
    if arguments.json {
        out.json(&verdict)?;
    } else {
        check_backups::print_backup(&mut out, shown, &verdict)?;
        let uploads = match (&config.uploads_bucket, &config.uploads_folder) {
            (Some(bucket), _) => format!(", and the uploads into {bucket:?}"),
            (None, Some(folder)) => format!(", and the uploads into {}", folder.display()),
            (None, None) => String::new(),
        };
        writeln!(out, "Restored into {}{uploads}.", config.data.display())?;
    }
    if let Some(url) = config.store_url.as_ref().filter(|_| !arguments.json) {
        let data = config.data.display();
        writeln!(
            out,
            "It is not in {url} yet: run `galley copy --from {data} --to postgres:`."
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns where the backup is if `given` is not a file but a folder or bucket of backups.
fn find(
    given: &Path,
    config: &Config,
) -> Result<Option<(Destination, StoredBackup)>, CommandFailure> {
    let is_bucket = given.to_string_lossy().starts_with("s3:");
    if !is_bucket && !given.is_dir() {
        return Ok(None);
    }
    let text = given.to_string_lossy();
    let (location, name) = match text.rsplit_once('/') {
        Some((location, name)) if is_bucket && name.ends_with(".zip") => (location, Some(name)),
        _ => (&*text, None),
    };
    let from = Destination::new(location, &config.bucket)
        .map_err(|why| CommandFailure::Command(format!("\"{location}\" is not {why}")))?;
    let mut backups = from.list()?;
    let found = match name {
        Some(name) => backups.into_iter().find(|backup| backup.name == name),
        None => backups.pop(),
    };
    let found = found.ok_or_else(|| BackupError::NoneThere(text.clone().into_owned()))?;
    Ok(Some((from, found)))
}
