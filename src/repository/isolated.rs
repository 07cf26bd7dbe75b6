//! A repository that is not Galley's own, used without its configuration and hooks.
//!
//! Git uses a git directory of Galley's. It has links to the objects, the refs and other data in the repository's git
//! directory, a copy of its `HEAD`, and a configuration that only describes their format. Git never reads the repository's
//! configuration, so none of its settings, in any version of git, can run a program, open a connection, or access another
//! repository. The honoured settings are passed one by one ([`RepositoryConfig::honoured`]).

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use crate::repository::{
    GitError,
    clone::{at, unless_gone},
    environment::{Environment, PersonalSettings, RepositoryPaths},
    location::{RepositoryLocation, read_small},
    program::Program,
    repository_config::RepositoryConfig,
};

/// Entries of a git directory that all work trees share.
const SHARED: [&str; 8] = [
    "info",
    "lfs",
    "logs",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];

/// Entries of the git directory of a linked work tree.
const SEPARATE: [&str; 3] = ["logs", "refs", "reftable"];

/// The prefix of the names of files that a split index refers to.
const SHARED_INDEX: &str = "sharedindex.";

/// A repository of another program or person.
pub struct IsolatedRepository {
    location: RepositoryLocation,
    /// The folder with Galley's git directories.
    home: PathBuf,
    config: RepositoryConfig,
}

impl IsolatedRepository {
    /// Opens the repository at `location`, with git directories in `home`, which are recreated.
    ///
    /// # Errors
    ///
    /// If a part of the repository points out of it or has an unknown format, git is missing, or an I/O error occurs.
    pub fn open(location: RepositoryLocation, home: PathBuf) -> Result<Self, GitError> {
        location.check(None)?;
        let config_file = location.common.join("config");
        let mut config = RepositoryConfig::read(&config_file)?;
        if config.is_true("extensions.worktreeconfig") {
            let file = location.git_folder.join("config.worktree");
            config.extend(RepositoryConfig::read(&file)?);
        }
        if let Some(tree) = config.value("core.worktree") {
            // A relative path starts at the git directory, as in submodules.
            let tree = location.git_folder.join(tree);
            let target = tree.canonicalize().unwrap_or(tree);
            if target != location.top {
                return Err(GitError::PointsOutside {
                    path: config_file,
                    target,
                });
            }
        }
        let repository = Self {
            location,
            home,
            config,
        };
        repository.write(&repository.config.format(&config_file)?)?;
        Ok(repository)
    }

    /// Creates the git directories.
    fn write(&self, config: &str) -> Result<(), GitError> {
        // This removes the links of the last time, not their targets.
        unless_gone(fs::remove_dir_all(&self.home)).map_err(at(&self.home))?;
        let shared = self.home.join("repository");
        fs::create_dir_all(&shared).map_err(at(&shared))?;
        let file = shared.join("config");
        fs::write(&file, config).map_err(at(&file))?;
        link(&self.location.common, &shared, &SHARED)?;
        if self.is_linked() {
            let separate = self.git_folder();
            fs::create_dir_all(&separate).map_err(at(&separate))?;
            let file = separate.join("commondir");
            fs::write(&file, "../repository\n").map_err(at(&file))?;
            link(&self.location.git_folder, &separate, &SEPARATE)?;
            // Git accepts a folder as a git directory only if it has a `HEAD`.
            self.copy_head(&self.location.common, &shared)?;
        }
        self.update()
    }

    /// Creates the folders that commits need, and that a new repository does not have yet.
    ///
    /// # Errors
    ///
    /// If an I/O error occurs.
    pub fn prepare_for_commits(&self, user: &RepositoryConfig) -> Result<(), GitError> {
        let location = &self.location;
        let mut folders = vec![
            location.common.join("logs"),
            location.git_folder.join("logs"),
        ];
        if user.subsections("filter").contains("lfs") {
            folders.push(location.common.join("lfs"));
        }
        for folder in folders {
            fs::create_dir_all(&folder).map_err(at(&folder))?;
        }
        Ok(())
    }

    /// Copies the current `HEAD`, and links the files of a split index.
    ///
    /// # Errors
    ///
    /// If an I/O error occurs, or `HEAD` names neither a branch nor a commit.
    pub fn update(&self) -> Result<(), GitError> {
        let git_folder = self.git_folder();
        self.copy_head(&self.location.git_folder, &git_folder)?;
        let entries = self.location.git_folder.read_dir();
        // The name of a shared index contains its hash, so each split of the index adds a file.
        for entry in entries.map_err(at(&self.location.git_folder))?.flatten() {
            let name = entry.file_name();
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let link = git_folder.join(&name);
            if is_file
                && name.as_encoded_bytes().starts_with(SHARED_INDEX.as_bytes())
                && link.symlink_metadata().is_err()
            {
                symlink(entry.path(), &link).map_err(at(&link))?;
            }
        }
        Ok(())
    }

    fn copy_head(&self, from: &Path, to: &Path) -> Result<(), GitError> {
        let file = from.join("HEAD");
        let head = match fs::read_link(&file) {
            // Early versions of git created `HEAD` as a symbolic link.
            Ok(branch) => format!("ref: {}\n", branch.display()),
            Err(_) => read_small(&file)?.unwrap_or_default(),
        };
        let branch = head.trim_end().strip_prefix("ref: refs/");
        // With `..`, git would read or write a ref outside of `refs`.
        let is_branch = branch.is_some_and(|name| !name.split('/').any(|part| part == ".."));
        if !is_branch && !is_commit(head.trim_end()) {
            return Err(at(&file)(std::io::ErrorKind::InvalidData.into()));
        }
        let (copy, new) = (to.join("HEAD"), to.join("HEAD.new"));
        let written = fs::write(&new, head).and_then(|()| fs::rename(&new, &copy));
        written.map_err(at(&copy))
    }

    fn is_linked(&self) -> bool {
        self.location.git_folder != self.location.common
    }

    /// Returns Galley's git directory for this work tree.
    fn git_folder(&self) -> PathBuf {
        self.home.join(if self.is_linked() {
            "worktree"
        } else {
            "repository"
        })
    }

    /// Checks that no part of the repository points out of it, with the files of the branch `branch`.
    ///
    /// # Errors
    ///
    /// `PointsOutside` or `OtherObjects`, with the path.
    pub fn check(&self, branch: &str) -> Result<(), GitError> {
        self.location.check(Some(branch))
    }

    /// Returns the configuration of the repository.
    pub fn config(&self) -> &RepositoryConfig {
        &self.config
    }

    /// Returns git for reading the repository, in `folder`. No configuration applies.
    pub fn reader(&self, folder: PathBuf) -> Program {
        let environment =
            Environment::of_isolated(&self.paths(None), PersonalSettings::Ignored, &[]);
        Program::in_folder(environment, folder)
    }

    /// Returns git for the work tree, with the index file `index`; `None` for the person's index. The configuration of the
    /// user applies, except for hooks, and so do the honoured settings of the repository.
    pub fn editor(&self, user: &RepositoryConfig, index: Option<PathBuf>) -> Program {
        let index = index.unwrap_or_else(|| self.location.git_folder.join("index"));
        let mut settings = self.config.honoured();
        // Hooks that the user's configuration defines by name are not below `core.hooksPath`, so
        // each is disabled.
        let hooks = user.subsections("hook").into_iter();
        settings.extend(hooks.map(|hook| (format!("hook.{hook}.enabled"), "false".to_owned())));
        let paths = self.paths(Some(index));
        let environment = Environment::of_isolated(&paths, PersonalSettings::Read, &settings);
        Program::in_folder(environment, self.location.top.clone())
    }

    fn paths(&self, index: Option<PathBuf>) -> RepositoryPaths {
        RepositoryPaths {
            repository: self.git_folder(),
            tree: self.location.top.clone(),
            index,
        }
    }
}

/// Creates links in `to` to these parts of `from`, even to parts that do not exist yet.
fn link(from: &Path, to: &Path, names: &[&str]) -> Result<(), GitError> {
    for name in names {
        let path = to.join(name);
        symlink(from.join(name), &path).map_err(at(&path))?;
    }
    Ok(())
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
