//! The source of a site's content, in addition to staff and integrations: a folder, a repository or none.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    config::Config,
    site::Site,
    sources::{
        ContentReport, Follower, FollowerOptions, Preparation, ReadProgress, WriteBack,
        git::{GitSource, Pulls},
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
        match config.write_back {
            WriteBack::Folder if config.git.is_some() || config.content.is_none() => {
                return Err(AppError::WriteBack(
                    "`folder` needs a content folder; of a repository, edits are written by `push`",
                ));
            }
            WriteBack::Push if config.git.is_none() => {
                return Err(AppError::WriteBack(
                    "`push` needs a repository: set source.git.url",
                ));
            }
            _ => {}
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
            writes_files: config.write_back == WriteBack::Folder,
            new_files: config.new_files.clone(),
            data: config.data.clone(),
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
