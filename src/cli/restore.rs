//! `galley restore`

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::{check_backups, progress_bar::Bar, terminal::Output};
use crate::{
    app::AppError,
    backup::{BackupError, Destination, RestoreInProgress, RestorePoint},
    cli::{command_failure::CommandFailure, common_arguments::CommonArguments},
    config::Config,
    progress::Progress,
};

/// The arguments of `restore`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  galley restore monday.galley.zip --data /var/lib/galley\n  galley restore monday.galley.zip --data trial && galley serve --data trial --no-content\n  galley restore s3://my-bucket/my-site --data restored\n  galley restore s3://my-bucket/my-site --at 2026-11-27T12:00 --data restored\n\n\
                  The data folder must be empty or not exist: a backup never replaces a site. Everything in the backup is verified\n\
                  before anything is written, and after a failure nothing is left behind. If the command is killed, no other one\n\
                  opens the folder, and the next restore begins again."
)]
pub struct RestoreArguments {
    /// The backup: a file; or a folder or bucket of backups (s3://bucket/prefix), for the newest in
    /// it or the last until --at, or one in the bucket (s3://bucket/prefix/NAME)
    #[arg(value_name = "FILE|DIR|URL")]
    file: PathBuf,
    /// The time to restore to, in UTC (2026-11-27T12:00) or with a zone (2026-11-27T12:00+01:00): the last
    /// backup until then
    #[arg(long, value_name = "TIME", value_parser = time_of)]
    at: Option<Timestamp>,
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
    let point = find(arguments, &config)?;
    let uploads = config.uploads();
    if config.uploads_bucket.is_none() {
        uploads.check().map_err(AppError::from)?;
    }
    let restore_site = || {
        let mut restore = RestoreInProgress::begin(&config.data, &uploads)?;
        match &point {
            Some((from, found)) => {
                let file = restore.fetch_point(from, found, &bar)?;
                restore.complete(&file, &bar)
            }
            None => restore.complete(&arguments.file, &bar),
        }
    };
    let restored = restore_site();
    bar.finish();
    let verdict = restored?;
    let shown = match &point {
        Some((from, found)) => &Path::new(&from.to_string()).join(found.name()),
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

/// Returns the backup to restore if a folder or bucket of backups is given; `None` for a file.
fn find(
    arguments: &RestoreArguments,
    config: &Config,
) -> Result<Option<(Destination, RestorePoint)>, CommandFailure> {
    let given = &arguments.file;
    let text = given.to_string_lossy();
    let is_bucket = Destination::is_url(&text);
    let (location, name) = match text.rsplit_once('/') {
        Some((location, name)) if is_bucket && name.ends_with(".zip") => (location, Some(name)),
        _ => (&*text, None),
    };
    let is_file = name.is_some() || (!is_bucket && !given.is_dir());
    if is_file && arguments.at.is_some() {
        return Err(CommandFailure::Command(format!(
            "--at needs a folder or bucket of backups, and {text} is one backup"
        )));
    }
    if is_file && !is_bucket {
        return Ok(None);
    }
    let from = Destination::new(location, &config.bucket)
        .map_err(|why| CommandFailure::Command(format!("\"{location}\" is not {why}")))?;
    let found = match name {
        Some(name) => {
            let file = from.list()?.into_iter().find(|backup| backup.name == name);
            let missing = || BackupError::NoneThere(text.to_string());
            RestorePoint::File(file.ok_or_else(missing)?)
        }
        None => RestorePoint::find(&from, &env::temp_dir(), arguments.at)?,
    };
    Ok(Some((from, found)))
}

/// Parses a time. Without a zone, it is in UTC.
fn time_of(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let time = text.parse::<DateTime>().ok();
    let time = time.and_then(|time| time.to_zoned(TimeZone::UTC).ok());
    let expected = "a time such as 2026-11-27T12:00, in UTC, or 2026-11-27T12:00:30+01:00";
    time.map(|time| time.timestamp())
        .ok_or_else(|| format!("expected {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_with_or_without_seconds_and_zone() {
        for (text, time) in [
            ("2026-11-27T12:00", "2026-11-27T12:00:00Z"),
            ("2026-11-27 12:00:30", "2026-11-27T12:00:30Z"),
            ("2026-11-27T12:00Z", "2026-11-27T12:00:00Z"),
            ("2026-11-27T12:00:30+01:00", "2026-11-27T11:00:30Z"),
            ("2026-11-27", "2026-11-27T00:00:00Z"),
        ] {
            assert_eq!(time_of(text), Ok(time.parse().unwrap()), "{text}");
        }
        for text in ["", "noon", "27.11.2026", "12:00", "2026-11-27T25:00"] {
            assert!(time_of(text).is_err(), "{text}");
        }
    }
}
