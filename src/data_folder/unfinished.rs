//! Commands that create a site and have not been completed. What a killed command leaves is not a
//! site, and no other command opens it as one.
//!
//! A file in the data folder names the command. The file is created durably before the command
//! changes anything else, and removed when everything is complete and durable. If a command creates a
//! certain file last, it is complete when that file exists.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::atomic_file::{AtomicFile, OutputFile, OutputFileError};

/// The file in the data folder that names the command.
pub const UNFINISHED: &str = "unfinished.json";

/// A command that has begun to create a site in a data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedWork {
    /// The command, such as `galley restore`.
    command: String,
    /// The file that the command creates last.
    last_file: Option<PathBuf>,
    /// The files that it creates outside of the data folder, with their texts.
    #[serde(default)]
    created: BTreeMap<PathBuf, String>,
}

impl UnfinishedWork {
    /// Returns the description of a command that is complete when it reports that or, if `last_file`
    /// is given, when that file exists.
    pub fn of(command: &str, last_file: Option<PathBuf>) -> Self {
        Self {
            command: command.to_owned(),
            last_file,
            created: BTreeMap::new(),
        }
    }

    /// Adds the files that the command creates outside of the data folder, with their texts.
    pub fn creating(self, created: BTreeMap<PathBuf, String>) -> Self {
        Self { created, ..self }
    }

    /// Returns the files that the command creates outside of the data folder, with their texts.
    pub fn created(&self) -> &BTreeMap<PathBuf, String> {
        &self.created
    }

    /// Returns whether both are the same command.
    pub fn is_like(&self, other: &Self) -> bool {
        self.command == other.command
    }

    /// Returns advice for the operator, as the second part of a sentence.
    pub fn advice(&self) -> String {
        let command = &self.command;
        let how = match &**command {
            "galley copy" => ", which continues (with --restart, it starts again)",
            "galley restore" => ", with this or another backup: it begins again",
            _ => ", which begins again",
        };
        format!("`{command}` was interrupted. Run the same `{command}` again{how}")
    }

    /// Returns the unfinished command in the data folder at `path`, if there is one.
    ///
    /// # Errors
    ///
    /// If the file that names the command cannot be read.
    pub(super) fn in_folder(path: &Path) -> io::Result<Option<Self>> {
        let work = match fs::read(path.join(UNFINISHED)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => serde_json::from_slice::<Self>(&text?)?,
        };
        let is_complete = match &work.last_file {
            Some(file) => path.join(file).try_exists()?,
            None => false,
        };
        Ok((!is_complete).then_some(work))
    }

    /// Creates the file that names the command, atomically and durably. Returns `false` if it already
    /// exists.
    pub(super) fn create(&self, path: &Path) -> io::Result<bool> {
        let text = serde_json::to_vec_pretty(self)?;
        // The file has no name before it is complete, so a killed process leaves nothing.
        let mut file = match OutputFile::create(&path.join(UNFINISHED), false) {
            Err(OutputFileError::Exists(_)) => return Ok(false),
            Err(OutputFileError::Write { source, .. }) => return Err(source),
            Ok(file) => file,
        };
        file.write_all(&text)?;
        match file.finish() {
            Err(OutputFileError::Exists(_)) => Ok(false),
            Err(OutputFileError::Write { source, .. }) => Err(source),
            Ok(_) => Ok(true),
        }
    }

    /// Creates the file in place of one from an earlier process.
    pub(super) fn replace(&self, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::private(path)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.replace(&path.join(UNFINISHED))
    }

    /// Removes the file durably.
    pub(super) fn remove(path: &Path) -> io::Result<()> {
        match fs::remove_file(path.join(UNFINISHED)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| File::open(path)?.sync_all()),
        }
    }
}
