//! Git: follows a repository, which is cloned into the data folder, and serves the newest commit of a branch.
//!
//! The git program does the work. It uses the ssh agents, credential helpers, proxies and certificates of the machine; people
//! already trust it with their repositories; a crash ends its process and not the server; and it can push, which writing back
//! needs and a library in Rust (gix) does not support yet. *Only this module starts it. A repository that is not Galley's own
//! is used through a git directory of Galley's, so that its configuration and its hooks cannot run programs.*
//!
//! A commit is applied or rejected as a whole: if any file has an error, the previous commit stays live, including its files,
//! and the report shows the errors. The store records the served commit in the same transaction as its content, so a process
//! that is killed at any moment restarts with exactly that commit, without network access.
//!
//! A repository is fetched without its history, unless history supplies dates and authors. In that case, the first commit of
//! a post or page supplies a missing date, and its last commit a missing date of the last change. The author of the first
//! commit supplies a missing author, if the site has an author with that e-mail address or name. Commits create no authors.

mod access_check;
mod clone;
pub(crate) mod committer;
mod committing;
mod edit_index;
mod environment;
mod error;
mod error_output;
mod failures;
mod filters;
mod folder_history;
mod following;
mod git_source;
mod history;
mod index_lock;
mod isolated;
mod listing;
mod location;
mod open_push;
pub(crate) mod options;
mod program;
mod pulls;
mod push;
mod repository_config;
mod repository_url;
mod review;
mod seeding;
mod unfollowed;
mod work_tree;
mod work_tree_git;
mod work_tree_location;

pub use access_check::try_access;
pub use committer::EditCommitter;
pub use error::GitError;
pub use folder_history::FolderHistory;
pub use following::remembered;
pub use git_source::GitSource;
pub use options::{
    BranchName, BranchNameError, CommitMessage, CommitMessageError, CommitOptions, FolderError,
    FolderInRepository, GitOptions, ReviewBranchName, ReviewBranchNameError, ReviewOptions,
};
pub use pulls::Pulls;
pub use push::{BODY_BYTES_MAX as PUSH_BYTES_MAX, Consequence, Push, UnreadablePush};
pub use repository_url::{RepositoryUrl, RepositoryUrlError};
pub use seeding::{content_folder, seed};
pub use unfollowed::no_repository;
pub use work_tree_location::check_work_tree;
