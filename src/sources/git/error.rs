//! What can go wrong between the site and a repository.

use std::{io, path::PathBuf};

use crate::error::Error;

/// A repository cannot be asked, or not be used.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git.
    #[error(
        "there is no program git here, which follows the repository. Install it (`apt install git`), or serve a folder with --content"
    )]
    Missing,
    /// The git that is there lacks what is needed.
    #[error("git is {0} here; to follow a repository, 2.31 or newer is needed")]
    TooOld(String),
    /// Git failed.
    #[error("{doing}: {said}")]
    Failed {
        /// What it was to do.
        doing: &'static str,
        /// What it said, without secrets.
        said: String,
    },
    /// Git took too long and was ended.
    #[error("{doing}: no end after {seconds} seconds")]
    TooSlow {
        /// What it was to do.
        doing: &'static str,
        /// How long it was let.
        seconds: u64,
    },
    /// The server stops.
    #[error("the server is stopping")]
    Stopping,
    /// The repository has nothing in it.
    #[error("{0} has no commit yet. Push one, and it is served")]
    Empty(String),
    /// The repository has not the branch that is wanted.
    #[error(
        "{url} has no branch {branch}. Set source.git.branch to one that it has, or push this one"
    )]
    NoBranch {
        /// Where the repository is.
        url: String,
        /// The branch.
        branch: String,
    },
    /// The commit has not the folder that is wanted.
    #[error("commit {commit} has no folder {path}. Set source.git.path to one that it has")]
    NoFolder {
        /// The commit.
        commit: String,
        /// The folder.
        path: String,
    },
    /// The repository in the data folder is damaged, or its disk refuses.
    #[error("cannot use {}: {source}", path.display())]
    Disk {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The site cannot be read or written.
    #[error("the site cannot be brought up to the commit: {}", with_source(.0))]
    Site(#[from] Error),
}

fn with_source(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
