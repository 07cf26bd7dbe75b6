//! Work that makes a site and has not been completed: the rest of a killed command is not a site, and
//! no other command takes it for one.
//!
//! A file in the data folder names the command. It is there, durably, before the command changes
//! anything else, and is removed when everything is done and durable. A command that makes one file
//! last is complete with that file.

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

/// A command that has begun to make a site in a data folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedWork {
    /// The command, such as `galley restore`.
    command: String,
    /// The file that it makes last.
    last_file: Option<PathBuf>,
    /// The files that it creates outside of the data folder, with their texts.
    #[serde(default)]
    created: BTreeMap<PathBuf, String>,
}

impl UnfinishedWork {
    /// Returns the work of a command that reports its completion, or with the file that it
    /// makes last.
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

    /// Returns whether it is work of the same command.
    pub fn is_like(&self, other: &Self) -> bool {
        self.command == other.command
    }

    /// Returns the advice about it, as the second part of a sentence.
    pub fn advice(&self) -> String {
        let command = &self.command;
        let how = match &**command {
            "galley copy" => ", which continues (with --restart, it starts again)",
            "galley restore" => ", with this or another backup: it begins again",
            _ => ", which begins again",
        };
        format!("`{command}` was interrupted. Run the same `{command}` again{how}")
    }

    /// Returns the work that was begun in the data folder at `path` and is not complete.
    ///
    /// # Errors
    ///
    /// If the file that names it cannot be read.
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

    /// Makes the file that names it, in one step and durably, and returns whether there was none.
    pub(super) fn create(&self, path: &Path) -> io::Result<bool> {
        let text = serde_json::to_vec_pretty(self)?;
        // Without a name before that: a killed process leaves nothing.
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

    /// Does the same in place of the file of an earlier process.
    pub(super) fn replace(&self, path: &Path) -> io::Result<()> {
        let mut file = AtomicFile::private(path)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.replace(&path.join(UNFINISHED))
    }

    /// Removes the file, durably.
    pub(super) fn remove(path: &Path) -> io::Result<()> {
        match fs::remove_file(path.join(UNFINISHED)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| File::open(path)?.sync_all()),
        }
    }
}
