//! Git filters, which attributes of files name: programs that convert the contents of files.
//!
//! Only filters of the user's own configuration are run. Edits of a file wait if the repository's configuration
//! defines its filter: the content must not be committed unconverted, since it may have to be encrypted, for example.

use std::collections::BTreeSet;

use crate::repository::{
    GitError,
    program::{Program, TIME_TO_WORK},
    repository_config::RepositoryConfig,
};

/// Filters of a repository that are not used.
#[derive(Clone, Debug, Default)]
pub struct UnusedFilters {
    names: BTreeSet<String>,
    /// The filters of the user.
    usable: BTreeSet<String>,
    /// Whether the repository's configuration includes files, which may define any filter.
    may_be_others: bool,
}

impl UnusedFilters {
    /// Returns the filters that `repository` defines and `user` does not.
    pub fn of(repository: &RepositoryConfig, user: &RepositoryConfig) -> Self {
        let usable = user.subsections("filter");
        let names = repository.subsections("filter");
        Self {
            names: names.difference(&usable).cloned().collect(),
            usable,
            may_be_others: repository.has_includes(),
        }
    }

    /// Checks that no file at these paths in the repository needs an unused filter.
    ///
    /// # Errors
    ///
    /// `Busy`, with the path and the filter; or if git fails.
    pub fn check(&self, program: &Program, paths: &[&str]) -> Result<(), GitError> {
        // The usual case, which starts no git process.
        if (self.names.is_empty() && !self.may_be_others) || paths.is_empty() {
            return Ok(());
        }
        let arguments = [&["check-attr", "-z", "filter", "--"], paths].concat();
        let listed = program.run("reading the attributes", &arguments, TIME_TO_WORK)?;
        let listed = String::from_utf8_lossy(&listed);
        let parts: Vec<&str> = listed.split('\0').collect();
        // Git prints triples of path, attribute and value; the rest after the last NUL is empty.
        for attribute in parts.chunks_exact(3) {
            let (path, filter) = (attribute[0], attribute[2]);
            // These words are states of the attribute, not names of filters.
            let is_driver = !matches!(filter, "set" | "unset" | "unspecified");
            let is_unused = self.names.contains(filter)
                || (self.may_be_others && !self.usable.contains(filter));
            if is_driver && is_unused {
                return Err(GitError::Busy(format!(
                    "{path} needs the filter {filter}, and programs that the configuration of the repository names are not run. Set filter.{filter} in your own configuration (`git config --global`)"
                )));
            }
        }
        Ok(())
    }
}
