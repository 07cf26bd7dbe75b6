//! Errors of following a repository.

use std::{io, path::PathBuf};

use crate::error::Error;

/// The repository is unreachable or unusable.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git is not installed.
    #[error("git is not installed. Install it (`apt install git`)")]
    Missing,
    /// The installed git lacks required features.
    #[error("git {0} is too old; 2.31 or newer is needed")]
    TooOld(String),
    /// Git failed.
    #[error("{operation}: {message}")]
    Failed {
        /// The operation.
        operation: &'static str,
        /// Its error output, without secrets.
        message: String,
    },
    /// Git exceeded its time limit and was killed.
    #[error("{operation}: timed out after {seconds} seconds")]
    TooSlow {
        /// The operation.
        operation: &'static str,
        /// The time limit.
        seconds: u64,
    },
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
    /// Another process, which shares the store, follows the repository.
    #[error("the node {node} follows the repository, not this one: send the request to it")]
    Elsewhere {
        /// Its name.
        node: String,
    },
    /// The repository is empty.
    #[error("{0} has no commits yet. Push a commit to serve it")]
    Empty(String),
    /// The branch does not exist.
    #[error(
        "{url} has no branch {branch}. Set source.git.branch to one that it has, or push this one"
    )]
    NoBranch {
        /// The URL of the repository.
        url: String,
        /// The branch.
        branch: String,
    },
    /// The commit does not contain the folder.
    #[error("commit {commit} has no folder {path}. Set source.git.path to one that it has")]
    NoFolder {
        /// The commit.
        commit: String,
        /// The folder.
        path: String,
    },
    /// The repository in the data folder is damaged, or an I/O error occurred.
    #[error("cannot use {}: {source}", path.display())]
    Disk {
        /// The folder or file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A folder is in no repository.
    #[error("{} is not in a git repository", .0.display())]
    NoRepository(PathBuf),
    /// A part of a repository is outside of it.
    #[error(
        "{} points to {}, outside of the repository, so it is not used. Copy its target there",
        path.display(), target.display()
    )]
    PointsOutside {
        /// The part.
        path: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// A repository borrows objects of another one.
    #[error(
        "{} borrows objects of {store}, which are not used. Make the repository complete: `git repack -a -d`, and then delete that file",
        path.display()
    )]
    OtherObjects {
        /// The list of object stores.
        path: PathBuf,
        /// The first one.
        store: String,
    },
    /// A repository has an extension that is not supported.
    #[error("{} needs {extension}, which is not supported", path.display())]
    Extension {
        /// The configuration of the repository.
        path: PathBuf,
        /// The extension.
        extension: String,
    },
    /// The content folder is not in a work tree.
    #[error(
        "`commit` needs a content folder in a git work tree, and {} is not in one ({message}). Run `git init` or `git clone` there, or set `folder`",
        path.display()
    )]
    NoWorkTree {
        /// The folder.
        path: PathBuf,
        /// The reason.
        message: String,
    },
    /// A person works in the work tree.
    #[error("{0}")]
    Busy(String),
    /// The site cannot be read or written.
    #[error("the commit cannot be applied to the site: {}", with_source(.0))]
    Site(#[from] Error),
}

fn with_source(error: &Error) -> String {
    // The error itself displays the message for clients; its source is for the operator.
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
