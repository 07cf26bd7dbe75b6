//! `galley check` for a folder or bucket with incremental backups.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde::Serialize;

use super::{check_backups::NamedBackups, progress_bar::Bar, terminal::Output};
use crate::{
    backup::{BackupError, Destination, Location, LocationVerdict, check_location, is_location},
    cli::{
        command_failure::CommandFailure,
        quantities::{megabytes, numbered},
    },
    config::Config,
    progress::Progress,
};

/// A folder or bucket to verify.
pub struct CheckedLocation {
    destination: Destination,
    /// The whole backups, if the location is a folder.
    files: Option<NamedBackups>,
}

/// The result in JSON.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    verdict: &'a LocationVerdict,
    /// The whole backups in a folder, with their verdicts.
    backups: Vec<serde_json::Value>,
    /// Number of whole backups in a bucket, which are not verified.
    unchecked_backups: usize,
}

impl CheckedLocation {
    /// Returns the location that `paths` name; `None` if they name something else.
    ///
    /// # Errors
    ///
    /// If a bucket cannot be used, or the folder cannot be read.
    pub fn of(paths: &[PathBuf], config: &Config) -> Result<Option<Self>, CommandFailure> {
        let [path] = paths else {
            return Ok(None);
        };
        let text = path.to_string_lossy();
        let is_bucket = Destination::is_url(&text);
        if !is_bucket && !is_location(path) {
            return Ok(None);
        }
        let destination = Destination::new(&text, &config.bucket)
            .map_err(|why| CommandFailure::Command(format!("\"{text}\" is not {why}")))?;
        let files = if is_bucket {
            None
        } else {
            NamedBackups::of(paths)?
        };
        Ok(Some(Self { destination, files }))
    }

    /// Verifies every moment, prints the contents and lists the damages.
    ///
    /// # Errors
    ///
    /// If the location cannot be read or has no backup at all, or nothing can be printed.
    pub fn check(&self, quiet: bool, as_json: bool) -> Result<ExitCode, CommandFailure> {
        let location = Location::new(self.destination.clone(), &env::temp_dir());
        let bar = Bar::new("checking", !quiet);
        let verdict = check_location(&location, &bar);
        bar.finish();
        let verdict = verdict?;
        let has_moments = verdict.states + verdict.segments > 0;
        let listed = self.destination.list()?.len();
        if !has_moments && listed == 0 && self.files.is_none() {
            return Err(BackupError::NoneThere(self.destination.to_string()).into());
        }
        let unchecked_backups = match self.destination {
            Destination::Bucket(_) => listed,
            Destination::Folder(_) => 0,
        };
        let mut out = Output::standard();
        let files = if as_json {
            let files = self.files.as_ref().map(|files| files.verified(quiet));
            let (backups, are_intact) = files.unwrap_or((Vec::new(), true));
            out.json(&Shown {
                verdict: &verdict,
                backups,
                unchecked_backups,
            })?;
            if are_intact {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        } else {
            let shown = self.destination.to_string();
            if has_moments {
                print(&mut out, Path::new(&shown), &verdict)?;
            }
            if unchecked_backups > 0 {
                let backups = numbered(unchecked_backups, "whole backup");
                writeln!(
                    out,
                    "{shown}: {backups} not checked. Copy them to this machine to check them."
                )?;
            }
            let files = self.files.as_ref();
            let checked = files.map(|files| files.check(quiet, as_json)).transpose()?;
            if files.is_some() && !verdict.damages.is_empty() {
                let damages = numbered(verdict.damages.len(), "object");
                writeln!(out, "Moments: {damages} damaged, listed above.")?;
            }
            checked.unwrap_or(ExitCode::SUCCESS)
        };
        Ok(if verdict.damages.is_empty() {
            files
        } else {
            ExitCode::FAILURE
        })
    }
}

fn print(out: &mut Output, shown: &Path, verdict: &LocationVerdict) -> io::Result<()> {
    let shown = shown.display();
    let states = numbered(verdict.states, "state");
    let segments = numbered(verdict.segments, "segment");
    let chunks = numbered(verdict.chunks, "chunk");
    let bytes = megabytes(verdict.bytes);
    if let (Some(first), Some(last)) = (verdict.first, verdict.last) {
        writeln!(out, "{shown}: moments from {first} to {last}")?;
    }
    if verdict.damages.is_empty() {
        return writeln!(out, "{states}, {segments}, {chunks}, {bytes}: intact.");
    }
    writeln!(out, "{states}, {segments}, {chunks}, {bytes}. Damaged:")?;
    for damage in &verdict.damages {
        writeln!(out, "  {damage}")?;
    }
    Ok(())
}
