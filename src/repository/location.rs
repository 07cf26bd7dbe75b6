//! Finds the repository that contains a folder, without git, which would read its configuration.
//!
//! Every part of the repository must be inside its folder. A `.git` file, a link or a list of other object stores that points
//! out of it is an error, so that another person's folder cannot access other repositories of this machine.

use std::{
    fs::{self, File, Metadata},
    io::{self, ErrorKind, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::repository::{GitError, clone::at, repository_config::RepositoryConfig};

/// Maximum length of a `.git` file, a `HEAD` and the like, in bytes.
const POINTER_BYTES_MAX: u64 = 8 << 10;

/// Entries of a git directory that must not point out of it.
const PARTS: [&str; 18] = [
    "HEAD",
    "config",
    "config.worktree",
    "index",
    "info",
    "info/attributes",
    "info/exclude",
    "lfs",
    "logs",
    "logs/HEAD",
    "objects",
    "objects/info",
    "objects/info/alternates",
    "objects/pack",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];

/// The repository of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryLocation {
    /// The folder of the work tree.
    pub top: PathBuf,
    /// The git directory of this work tree.
    pub git_folder: PathBuf,
    /// The git directory that all work trees share. It differs from `git_folder` only if `git worktree add` created the work
    /// tree.
    pub common: PathBuf,
}

impl RepositoryLocation {
    /// Finds the repository that contains `folder`.
    ///
    /// # Errors
    ///
    /// `NoRepository` if there is none; `PointsOutside` if its git directory belongs to another folder; or if an I/O error
    /// occurs.
    pub fn of(folder: &Path) -> Result<Self, GitError> {
        // The folders above the real folder count, not those above a link to it.
        let folder = folder.canonicalize().map_err(at(folder))?;
        for top in folder.ancestors() {
            if let Some(git_folder) = git_folder_of(top)? {
                let common = common_folder(&git_folder)?;
                return Ok(Self {
                    top: top.to_owned(),
                    git_folder,
                    common,
                });
            }
        }
        Err(GitError::NoRepository(folder))
    }

    /// Checks that no part of the repository points out of it, with the files of the branch `branch`.
    ///
    /// # Errors
    ///
    /// `PointsOutside`, with the path.
    pub fn check(&self, branch: Option<&str>) -> Result<(), GitError> {
        for folder in [&self.git_folder, &self.common] {
            for part in PARTS {
                self.check_path(&folder.join(part))?;
            }
        }
        if let Some(name) = branch {
            // Git writes both files, and would follow a link on the way to them.
            for file in [self.common.join(name), self.common.join("logs").join(name)] {
                let inside = |path: &&Path| path.starts_with(&self.common);
                let mut paths: Vec<&Path> = file.ancestors().take_while(inside).collect();
                // The outermost link is reported.
                paths.reverse();
                for path in paths {
                    self.check_path(path)?;
                }
            }
        }
        self.check_objects()
    }

    /// Checks the object store: its folders, packs, and the list of other stores.
    fn check_objects(&self) -> Result<(), GitError> {
        let objects = self.common.join("objects");
        for folder in [&objects, &objects.join("pack")] {
            let entries = match folder.read_dir() {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries.map_err(at(folder))?,
            };
            for entry in entries {
                let entry = entry.map_err(at(folder))?;
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    self.check_path(&entry.path())?;
                }
            }
        }
        let alternates = objects.join("info/alternates");
        let list = read_small(&alternates)?.unwrap_or_default();
        // Git ignores blank lines and comments in this file, too.
        let mut stores = list.lines().filter(|line| !line.is_empty());
        match stores.find(|line| !line.starts_with('#')) {
            Some(store) => Err(GitError::OtherObjects {
                path: alternates,
                store: store.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Checks that a path of the repository, if it exists, is inside of it.
    fn check_path(&self, path: &Path) -> Result<(), GitError> {
        let Ok(metadata) = path.symlink_metadata() else {
            return Ok(());
        };
        let target = match path.canonicalize() {
            Ok(target) => target,
            // The target of a dangling link may be created later, so it is checked as written.
            Err(_) if metadata.is_symlink() => fs::read_link(path).map_err(at(path))?,
            Err(error) => return Err(at(path)(error)),
        };
        if target.starts_with(&self.common) || target.starts_with(&self.git_folder) {
            Ok(())
        } else {
            Err(leads_outside(path, target))
        }
    }

    /// Returns the id of a user who owns a part of the repository and is not the user of this process; `None` if there is
    /// none.
    ///
    /// # Errors
    ///
    /// If an I/O error occurs.
    pub fn other_owner(&self) -> Result<Option<u32>, GitError> {
        let user = rustix::process::geteuid().as_raw();
        // Like git, root also trusts files of the user who called sudo.
        let caller = std::env::var("SUDO_UID").ok().filter(|_| user == 0);
        let caller = caller.and_then(|id| id.parse().ok());
        let pointer = self.top.join(".git");
        // Git checks the owners of the same paths before it trusts a repository (`safe.directory`).
        for path in [&self.top, &pointer, &self.git_folder, &self.common] {
            let owner = path.symlink_metadata().map_err(at(path))?.uid();
            if owner != user && Some(owner) != caller {
                return Ok(Some(owner));
            }
        }
        Ok(None)
    }
}

/// Returns the git directory that `top` has, if it is the folder of a work tree.
fn git_folder_of(top: &Path) -> Result<Option<PathBuf>, GitError> {
    let pointer = top.join(".git");
    let metadata = match pointer.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(at(&pointer)(error)),
    };
    if metadata.is_dir() {
        return Ok(is_git_folder(&pointer).then_some(pointer));
    }
    let target = match target_of(&pointer, &metadata)? {
        Some(target) if is_git_folder(&target) || target.join("commondir").is_file() => target,
        _ => return Ok(None),
    };
    let target = target.canonicalize().map_err(at(&target))?;
    // A `.git` file could name any repository of this machine, so a git directory elsewhere must
    // name this work tree, as those of `git worktree` and of submodules do.
    if target.starts_with(top) || names(&target, top)? {
        Ok(Some(target))
    } else {
        Err(leads_outside(&pointer, target))
    }
}

/// Returns the target of a `.git` that is not a folder.
fn target_of(pointer: &Path, metadata: &Metadata) -> Result<Option<PathBuf>, GitError> {
    if metadata.is_symlink() {
        return Ok(pointer.canonicalize().ok());
    }
    let text = read_small(pointer)?.unwrap_or_default();
    let target = text.strip_prefix("gitdir: ").map(str::trim_end);
    let folder = pointer.parent().unwrap_or(pointer);
    Ok(target.map(|target| folder.join(target)))
}

/// Returns whether the git directory `target` itself names the work tree `top`: in the `gitdir` file of a linked work tree,
/// or in the `core.worktree` of a submodule.
fn names(target: &Path, top: &Path) -> Result<bool, GitError> {
    let is_top = |path: &Path| path.canonicalize().is_ok_and(|path| path == top);
    if let Some(pointer) = read_small(&target.join("gitdir"))? {
        let pointer = target.join(pointer.trim_end());
        return Ok(pointer.parent().is_some_and(is_top));
    }
    let config = RepositoryConfig::read(&target.join("config"))?;
    let tree = config.value("core.worktree");
    Ok(tree.is_some_and(|tree| is_top(&target.join(tree))))
}

/// Returns the git directory of all work trees of the repository with the git directory `git_folder`.
fn common_folder(git_folder: &Path) -> Result<PathBuf, GitError> {
    let pointer = git_folder.join("commondir");
    let Some(text) = read_small(&pointer)? else {
        return Ok(git_folder.to_owned());
    };
    let common = git_folder.join(text.trim_end());
    let common = common.canonicalize().map_err(at(&common))?;
    if git_folder.parent() == Some(&common.join("worktrees")) && is_git_folder(&common) {
        Ok(common)
    } else {
        Err(leads_outside(&pointer, common))
    }
}

/// Returns whether a folder is a git directory, by git's criteria.
fn is_git_folder(path: &Path) -> bool {
    path.join("HEAD").symlink_metadata().is_ok()
        && path.join("objects").is_dir()
        && path.join("refs").is_dir()
}

/// Reads a file of a few lines; `None` if it does not exist.
///
/// # Errors
///
/// If it is not a file, is too long, or cannot be read.
pub fn read_small(path: &Path) -> Result<Option<String>, GitError> {
    // Opening a pipe would wait for its other end.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= POINTER_BYTES_MAX => {}
        Ok(_) => return Err(at(path)(ErrorKind::InvalidData.into())),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(at(path)(error)),
    }
    let mut text = String::new();
    let file = File::open(path).map_err(at(path))?;
    // The file may have grown since its length was read.
    let mut file = file.take(POINTER_BYTES_MAX);
    file.read_to_string(&mut text).map_err(at(path))?;
    Ok(Some(text))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn leads_outside(path: &Path, target: PathBuf) -> GitError {
    GitError::PointsOutside {
        path: path.to_owned(),
        target,
    }
}
