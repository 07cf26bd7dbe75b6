//! `galley check` for a folder or bucket with incremental backups.

use std::{env, io, path::PathBuf, process::ExitCode};

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
    /// The whole backups in the location, if it is a folder that has some.
    backups: Option<NamedBackups>,
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
        let backups = if is_bucket {
            None
        } else {
            NamedBackups::of(paths)?
        };
        Ok(Some(Self {
            destination,
            backups,
        }))
    }

    /// Verifies every moment and the whole backups, and prints the contents and the damage.
    ///
    /// # Errors
    ///
    /// If the location cannot be read or has no backup at all, or the output cannot be written.
    pub fn check(&self, quiet: bool, as_json: bool) -> Result<ExitCode, CommandFailure> {
        let location = Location::new(self.destination.clone(), &env::temp_dir());
        let bar = Bar::new("checking", !quiet);
        let verdict = check_location(&location, &bar);
        bar.finish();
        let verdict = verdict?;
        let has_moments = verdict.states + verdict.segments > 0;
        let listed = self.destination.list()?.len();
        if !has_moments && listed == 0 && self.backups.is_none() {
            return Err(BackupError::NoneThere(self.destination.to_string()).into());
        }
        let unchecked_backups = match self.destination {
            Destination::Bucket(_) => listed,
            Destination::Folder(_) => 0,
        };
        let mut out = Output::standard();
        let code_of_backups = if as_json {
            let verified = self.backups.as_ref().map(|backups| backups.verified(quiet));
            let (backups, are_intact) = verified.unwrap_or((Vec::new(), true));
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
                print(&mut out, &shown, &verdict)?;
            }
            if unchecked_backups > 0 {
                let backups = numbered(unchecked_backups, "whole backup");
                writeln!(
                    out,
                    "{shown}: {backups} not checked. Copy them to this machine to check them."
                )?;
            }
            let backups = self.backups.as_ref();
            let checked = backups.map(|backups| backups.check(quiet, as_json));
            let checked = checked.transpose()?;
            if backups.is_some() && !verdict.damages.is_empty() {
                let damages = numbered(verdict.damages.len(), "object");
                writeln!(out, "Moments: {damages} damaged, listed above.")?;
            }
            checked.unwrap_or(ExitCode::SUCCESS)
        };
        Ok(if verdict.damages.is_empty() {
            code_of_backups
        } else {
            ExitCode::FAILURE
        })
    }
}

fn print(out: &mut Output, shown: &str, verdict: &LocationVerdict) -> io::Result<()> {
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
