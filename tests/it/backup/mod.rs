//! Tests that a backup contains the site as of one commit, that damage is detected, and that failures leave no partial files.

mod collected;
mod commands;
mod damaged;
mod increments;
mod outages;
mod regular;
mod unusable_disk;
mod whole;

use galley::progress::NoProgress;
use std::{
    fs,
    path::{Path, PathBuf},
};

use galley::backup::{Backup, BackupError, Verdict};
use tempfile::TempDir;

fn verdict(path: &Path) -> Result<Verdict, BackupError> {
    Backup::open(path)?.verify(&NoProgress)
}

/// Returns the files below a folder: the path relative to the folder, and the content.
fn files_of(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap().to_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn write(path: PathBuf, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}
