//! The work tree that contains a content folder, if this user may use it.

use std::{path::Path, sync::Arc};

use crate::repository::{
    GitError, clone::at, environment::Environment, location::RepositoryLocation, program::Program,
    repository_config::RepositoryConfig,
};

/// Checks that the content folder `folder` is in a work tree that this user may use.
///
/// # Errors
///
/// `NoWorkTree` if it is not, or the work tree belongs to a user that this one does not trust; `Missing` or `TooOld`; or if
/// an I/O error occurs.
pub fn check_work_tree(folder: &Path) -> Result<(), GitError> {
    located(&folder.canonicalize().map_err(at(folder))?).map(drop)
}

/// Returns the location of the work tree that contains `folder`, and the settings of the user.
///
/// # Errors
///
/// Those of [`check_work_tree`].
pub(super) fn located(folder: &Path) -> Result<(RepositoryLocation, RepositoryConfig), GitError> {
    Program::new(Environment::without_repository(), Arc::default()).check()?;
    let location = RepositoryLocation::of(folder).map_err(|error| match error {
        GitError::NoRepository(_) => no_work_tree(folder, error.to_string()),
        error => error,
    })?;
    let user = RepositoryConfig::of_user()?;
    if let Some(owner) = location.other_owner()?
        && !user.trusts(&location.top)
    {
        let top = location.top.display();
        let message = format!(
            "{top} belongs to the user with the ID {owner}; if you trust its files, `git config --global --add safe.directory {top}`"
        );
        return Err(no_work_tree(folder, message));
    }
    Ok((location, user))
}

/// Returns the error of a folder that is not in a work tree. `message` is the reason.
pub(super) fn no_work_tree(folder: &Path, message: String) -> GitError {
    GitError::NoWorkTree {
        path: folder.to_owned(),
        message,
    }
}
