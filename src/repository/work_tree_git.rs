//! Git for the work tree of a person, with the person's settings and the honoured settings of the repository.

use std::path::{Path, PathBuf};

use crate::repository::{
    GitError, edit_index::EditIndex, filters::UnusedFilters, isolated::IsolatedRepository,
    location::RepositoryLocation, options::CommitMessage, program::Program,
    repository_config::RepositoryConfig,
};

/// The name of the index file that replaces the person's index.
pub const NEXT_INDEX: &str = "index.galley";

/// Git for a work tree, with the settings that the person and the repository had when it was opened.
pub struct WorkTreeGit {
    /// The repository.
    pub repository: IsolatedRepository,
    /// The filters that are not run.
    pub filters: UnusedFilters,
    /// Git with the index of the person.
    pub program: Program,
    /// The index in which edits are committed.
    pub edits: EditIndex,
    /// The next index of the person.
    pub next: EditIndex,
}

impl WorkTreeGit {
    /// Opens the repository at `location`, for which `work` is the folder in the data folder.
    ///
    /// # Errors
    ///
    /// If a part of the repository points out of it, or an I/O error occurs.
    pub fn open(
        location: &RepositoryLocation,
        user: &RepositoryConfig,
        work: &Path,
        message: &CommitMessage,
    ) -> Result<Self, GitError> {
        let repository = IsolatedRepository::open(location.clone(), work.join("work-tree"))?;
        repository.prepare_for_commits(user)?;
        let index = |index: PathBuf| {
            let program = repository.editor(user, Some(index));
            EditIndex::new(program, work.join("edited"), None, message.clone()).converting()
        };
        Ok(Self {
            filters: UnusedFilters::of(repository.config(), user),
            program: repository.editor(user, None),
            edits: index(work.join("edits.index")),
            // Next to the person's index, which a rename replaces: a rename cannot cross file
            // systems.
            next: index(location.git_folder.join(NEXT_INDEX)),
            repository,
        })
    }
}
