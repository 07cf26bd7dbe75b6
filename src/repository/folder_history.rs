//! Reads the history of the files of a folder from the repository that contains it.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
    sync::Arc,
};

use crate::{
    content_files::History,
    repository::{
        GitError,
        environment::Environment,
        history,
        isolated::IsolatedRepository,
        location::RepositoryLocation,
        program::{Program, TIME_TO_WORK},
    },
};

/// The operation in errors.
const DOING: &str = "reading the history";

/// Options for the detection of renames: by git's usual similarity, or only with equal content.
const RENAMES: (&str, &str) = ("-M", "-M100%");

/// The history of a folder's files.
#[derive(Debug, Default)]
pub struct FolderHistory {
    /// The history.
    pub history: History,
    /// The files whose earlier versions the repository lacks, as in a partial clone. If there are any, only renames
    /// without a change are followed.
    pub incomplete: Vec<String>,
}

impl FolderHistory {
    /// Reads the history of the files of `folder`. No program of its repository is run, and nothing is fetched.
    ///
    /// # Errors
    ///
    /// If git is missing, the folder is in no repository with a commit, a part of the repository points out of it, the
    /// repository lacks commits or trees, or an I/O error occurs.
    pub fn of(folder: &Path) -> Result<Self, GitError> {
        Program::new(Environment::without_repository(), Arc::default()).check()?;
        let location = RepositoryLocation::of(folder)?;
        // `home` has the git directory, so it must live as long as commands run.
        let home = tempfile::tempdir().map_err(|source| GitError::Disk {
            path: std::env::temp_dir(),
            source,
        })?;
        let repository = IsolatedRepository::open(location, home.path().join("git"))?;
        let folder = folder.canonicalize().map_err(|source| GitError::Disk {
            path: folder.to_owned(),
            source,
        })?;
        let program = repository.reader(folder);
        let log = |renames: &str| {
            let arguments = ["log", "--topo-order", "--reverse", "--no-show-signature"];
            let names = [
                renames,
                "-z",
                "--name-status",
                "--relative",
                history::FORMAT,
            ];
            let arguments = [&arguments[..], &names, &["HEAD", "--", "."]].concat();
            program.run(DOING, &arguments, TIME_TO_WORK)
        };
        let mut read = Self::default();
        let output = match log(RENAMES.0) {
            Ok(output) => output,
            Err(error) => {
                // Git needs all contents to compare them.
                read.incomplete = files_without_content(&program).unwrap_or_default();
                if read.incomplete.is_empty() {
                    return Err(error);
                }
                log(RENAMES.1)?
            }
        };
        history::add(&mut read.history, &output);
        Ok(read)
    }
}

/// Returns the files with a version that the repository lacks.
fn files_without_content(program: &Program) -> Result<Vec<String>, GitError> {
    let arguments = [
        "rev-list",
        "--objects",
        // Prints missing objects with a leading `?` instead of failing.
        "--missing=print",
        "HEAD",
        "--",
        ".",
    ];
    let output = program.run(DOING, &arguments, TIME_TO_WORK)?;
    let output = String::from_utf8_lossy(&output);
    let missing: HashSet<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix('?'))
        .collect();
    let arguments = [
        "log",
        "--format=",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-renames",
    ];
    let arguments = [&arguments[..], &["--relative", "HEAD", "--", "."]].concat();
    let output = program.run(DOING, &arguments, TIME_TO_WORK)?;
    let output = String::from_utf8_lossy(&output);
    let mut files = BTreeSet::new();
    let mut parts = output.split('\0');
    // Modes, object ids and kind are one part, the path is the next.
    while let (Some(change), Some(path)) = (parts.next(), parts.next()) {
        if change.split(' ').any(|id| missing.contains(id)) {
            files.insert(path.to_owned());
        }
    }
    Ok(files.into_iter().collect())
}
