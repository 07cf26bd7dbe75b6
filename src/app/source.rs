//! The source of a site's content, in addition to staff and integrations: a folder, a repository or none.

use std::{path::Path, sync::Arc};

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    config::Config,
    site::Site,
    sources::{
        ContentReport, Follower, FollowerOptions, Preparation, ReadProgress, WriteBack,
        git::{EditCommitter, GitError, GitSource, Pulls},
    },
};

/// The source that the site follows, if any.
pub enum Source {
    /// Nothing.
    None,
    /// A folder of content files.
    Folder(Follower),
    /// A repository.
    Git(GitSource),
}

impl Source {
    /// Starts the work that can be done while the store is opened.
    ///
    /// # Errors
    ///
    /// If edits cannot be written to the source, or the system cannot create a thread.
    pub fn prepare(config: &Config) -> Result<Option<Preparation>, AppError> {
        let problem = match config.write_back {
            WriteBack::Folder if config.git.is_some() || config.content.is_none() => {
                "`folder` needs a content folder; of a repository, edits are written by `push`"
            }
            WriteBack::Commit if config.git.is_some() => {
                "`commit` is for a content folder in a git work tree of your own; the clone of source.git.url is Galley's, whose commits are pushed: set `push`"
            }
            WriteBack::Commit if config.content.is_none() => {
                "`commit` needs a content folder in a git work tree: set content"
            }
            WriteBack::Push if config.git.is_none() => {
                "`push` needs a repository: set source.git.url; of a content folder in a git work tree, edits are committed by `commit`"
            }
            _ => "",
        };
        if !problem.is_empty() {
            return Err(AppError::WriteBack(problem.to_owned()));
        }
        let folder = config.content.clone().filter(|_| config.git.is_none());
        Ok(folder.map(Preparation::begin).transpose()?)
    }

    /// Updates `site` to its source, and continues to follow it.
    ///
    /// # Errors
    ///
    /// If the source cannot be read, or the store refuses.
    pub fn follow(
        config: &Config,
        site: &Arc<Site>,
        preparation: Option<Preparation>,
        progress: &dyn ReadProgress,
    ) -> Result<Self, AppError> {
        let site = Arc::clone(site);
        if config.write_back != WriteBack::Commit {
            forget_commits(&site)?;
        }
        if let Some(git) = &config.git {
            let source = GitSource::start(site, git.clone(), &config.data, progress)?;
            return Ok(Self::Git(source));
        }
        let Some(preparation) = preparation else {
            return Ok(Self::None);
        };
        let options = FollowerOptions {
            settle: config.settle,
            rescan: config.rescan,
            content_files: config.content_files.clone(),
            write_back: config.write_back,
            new_files: config.new_files.clone(),
            data: config.data.clone(),
        };
        let preparation = match (config.write_back, &config.content) {
            (WriteBack::Commit, Some(folder)) => {
                preparation.committing(committer(config, &site, folder)?)
            }
            _ => preparation,
        };
        let follower = Follower::start(site, preparation, options, progress)?;
        Ok(Self::Folder(follower))
    }

    /// Returns the report on it, which changes over time.
    pub fn report(&self) -> Arc<ArcSwap<ContentReport>> {
        match self {
            Self::None => Arc::default(),
            Self::Folder(follower) => follower.report(),
            Self::Git(git) => Arc::clone(git.pulls().report()),
        }
    }

    /// Returns the pulls of the repository, if it is one.
    pub fn pulls(&self) -> Option<Arc<Pulls>> {
        match self {
            Self::Git(git) => Some(Arc::clone(git.pulls())),
            Self::None | Self::Folder(_) => None,
        }
    }
}

/// Opens the work tree that the content folder lies in.
fn committer(config: &Config, site: &Arc<Site>, folder: &Path) -> Result<EditCommitter, AppError> {
    let (site, options) = (Arc::clone(site), config.commits.clone());
    let opened = EditCommitter::open(site, folder, &config.data, options);
    opened.map_err(|error| match error {
        GitError::Site(error) => AppError::Site(error),
        error => AppError::WriteBack(error.to_string()),
    })
}

/// Forgets the commits that edits still need from a time when they were committed: their files have them.
fn forget_commits(site: &Site) -> Result<(), AppError> {
    let left = site.current().edits_to_commit()?;
    if !left.is_empty() {
        tracing::warn!(
            edits = left.len(),
            "edits from when source.write_back was `commit` are in their files and get no commits of their own"
        );
        site.write(|change| change.end_commits(&left))?;
    }
    Ok(())
}
