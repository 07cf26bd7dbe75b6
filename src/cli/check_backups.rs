//! `galley check` for backups: single files, or a folder of them.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;

use super::{progress_bar::Bar, terminal::Output};
use crate::{
    backup::{Backup, BackupError, Destination, Verdict},
    cli::{
        command_failure::CommandFailure,
        quantities::{counted, megabytes, numbered},
    },
    generators,
    progress::Progress,
};

/// The backups that the arguments of a command name.
#[derive(Debug, Default)]
pub struct NamedBackups {
    files: Vec<PathBuf>,
    /// True if a folder was named, so that the results are a list.
    is_list: bool,
}

impl NamedBackups {
    /// Returns the backups that `paths` name; `None` if one of them names something else.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read.
    pub fn of(paths: &[PathBuf]) -> Result<Option<Self>, CommandFailure> {
        let mut named = Self {
            files: Vec::new(),
            is_list: paths.len() > 1,
        };
        for path in paths {
            if path.is_dir() {
                let found = in_folder(path).map_err(|error| {
                    let message = format!("cannot read {}: {error}", path.display());
                    CommandFailure::Command(message)
                })?;
                named.is_list = true;
                match found.as_slice() {
                    [] => return Ok(None),
                    found => named.files.extend_from_slice(found),
                }
            } else if path.is_file() && is_archive(path, paths.len() == 1) {
                named.files.push(path.clone());
            } else {
                return Ok(None);
            }
        }
        Ok((!named.files.is_empty()).then_some(named))
    }

    /// Verifies each backup, prints its contents, and names the damaged ones.
    ///
    /// # Errors
    ///
    /// If there is only one backup and it cannot be read, or if nothing can be printed.
    pub fn check(&self, quiet: bool, as_json: bool) -> Result<ExitCode, CommandFailure> {
        let mut out = Output::standard();
        let mut results = Vec::new();
        for file in &self.files {
            let bar = Bar::new("checking", !quiet);
            let verdict = verify(file, &bar);
            bar.finish();
            let verdict = match (verdict, self.is_list) {
                (Err(error), false) => return Err(error.into()),
                (verdict, _) => verdict,
            };
            if !as_json {
                print(&mut out, file, &verdict)?;
            }
            results.push((file, verdict));
        }
        let damaged = results.iter().filter(|(_, verdict)| !is_intact(verdict));
        let damaged: Vec<&Path> = damaged.map(|(file, _)| file.as_path()).collect();
        match (as_json, self.is_list) {
            (true, true) => out.json(&results.iter().map(as_json_value).collect::<Vec<_>>())?,
            (true, false) => {
                for verdict in results
                    .iter()
                    .filter_map(|(_, verdict)| verdict.as_ref().ok())
                {
                    out.json(verdict)?;
                }
            }
            (false, true) => print_count(&mut out, self.files.len(), &damaged)?,
            (false, false) => {}
        }
        Ok(if damaged.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

impl NamedBackups {
    /// Verifies each backup. Returns the results in JSON, and whether all backups are intact.
    pub fn verified(&self, quiet: bool) -> (Vec<serde_json::Value>, bool) {
        let results: Vec<_> = self
            .files
            .iter()
            .map(|file| {
                let bar = Bar::new("checking", !quiet);
                let verdict = verify(file, &bar);
                bar.finish();
                (file, verdict)
            })
            .collect();
        let are_intact = results.iter().all(|(_, verdict)| is_intact(verdict));
        (results.iter().map(as_json_value).collect(), are_intact)
    }
}

/// Returns whether a file is a content file, by its extension.
fn is_content(file: &Path) -> bool {
    const EXTENSIONS: [&str; 8] = [
        "md", "markdown", "mdx", "html", "htm", "toml", "yaml", "yml",
    ];
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
        || file.to_str().is_some_and(generators::may_be_template)
}

/// Returns whether a named file is a backup. A single file is one unless it is a content file; several files must be
/// zip archives.
fn is_archive(file: &Path, is_only_one: bool) -> bool {
    let extension = file.extension().unwrap_or_default();
    if is_only_one {
        !is_content(file)
    } else {
        extension.eq_ignore_ascii_case("zip")
    }
}

/// Returns the zip archives in a folder, sorted by name. Returns none if the folder has other content (content files or
/// subfolders) and no archive with the name of a backup.
fn in_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut archives = Vec::new();
    let mut has_others = false;
    let mut has_backup = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() || is_content(&path) {
            has_others = true;
        } else if name.to_lowercase().ends_with(".zip") {
            has_backup |= Destination::is_name(&name) || name.ends_with(".galley.zip");
            archives.push(path);
        }
    }
    if has_others && !has_backup {
        archives.clear();
    }
    archives.sort();
    Ok(archives)
}

fn verify(file: &Path, bar: &Bar) -> Result<Verdict, BackupError> {
    Backup::open(file)?.verify(bar)
}

fn is_intact(verdict: &Result<Verdict, BackupError>) -> bool {
    matches!(verdict, Ok(verdict) if verdict.damages.is_empty())
}

fn print(out: &mut Output, file: &Path, verdict: &Result<Verdict, BackupError>) -> io::Result<()> {
    match verdict {
        Ok(verdict) => print_backup(out, file, verdict),
        Err(error) => writeln!(out, "{}: damaged: {error}", file.display()),
    }
}

fn print_count(out: &mut Output, count: usize, damaged: &[&Path]) -> io::Result<()> {
    let backups = numbered(count, "backup");
    if damaged.is_empty() {
        return writeln!(out, "{backups}, all intact.");
    }
    writeln!(out, "{backups}, {} damaged:", damaged.len())?;
    for file in damaged {
        writeln!(out, "  {}", file.display())?;
    }
    Ok(())
}

fn as_json_value((file, verdict): &(&PathBuf, Result<Verdict, BackupError>)) -> serde_json::Value {
    match verdict {
        Ok(verdict) => json!({ "file": file, "verdict": verdict }),
        Err(error) => json!({ "file": file, "error": error.to_string() }),
    }
}

/// Prints the result of verifying a backup.
pub fn print_backup(out: &mut Output, file: &Path, verdict: &Verdict) -> io::Result<()> {
    let title = verdict.site.as_ref().map(|site| site.title.as_str());
    writeln!(
        out,
        "{}: {}, revision {}, written {:.0} by Galley {}",
        file.display(),
        title.unwrap_or("a site that cannot be opened"),
        verdict.revision,
        verdict.created_at,
        verdict.galley
    )?;
    for (kind, count) in verdict.site.iter().flat_map(|site| &site.counts) {
        writeln!(out, "  {count:>7} {}", counted(kind, *count))?;
    }
    let files = numbered(verdict.files, "file");
    let bytes = megabytes(verdict.bytes);
    if verdict.damages.is_empty() {
        return writeln!(out, "{files}, {bytes}: intact.");
    }
    writeln!(out, "{files}, {bytes}. Damaged:")?;
    for damage in &verdict.damages {
        writeln!(out, "  {damage}")?;
    }
    Ok(())
}
