//! What a site is made of, beside what its staff and integrations write: a folder, a repository or nothing.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    config::Config,
    site::Site,
    sources::{
        ContentReport, Follower, FollowerOptions, Preparation, Progress,
        git::{GitSource, Pulls},
    },
};

/// What keeps the site as others write it, if anything does.
pub enum Source {
    /// Nothing.
    None,
    /// A folder of content files.
    Folder(Follower),
    /// A repository.
    Git(GitSource),
}

impl Source {
    /// Begins with what can be done while the store is opened.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn prepare(config: &Config) -> Result<Option<Preparation>, AppError> {
        let folder = config.content.clone().filter(|_| config.git.is_none());
        Ok(folder.map(Preparation::begin).transpose()?)
    }

    /// Makes `site` what its source says, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the source cannot be read, or the store refuses.
    pub fn follow(
        config: &Config,
        site: &Arc<Site>,
        preparation: Option<Preparation>,
        progress: &dyn Progress,
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
        };
        let follower = Follower::start(site, preparation, options, progress)?;
        Ok(Self::Folder(follower))
    }

    /// What is known of it, as it changes.
    pub fn report(&self) -> Arc<ArcSwap<ContentReport>> {
        match self {
            Self::None => Arc::default(),
            Self::Folder(follower) => follower.report(),
            Self::Git(git) => Arc::clone(git.pulls().report()),
        }
    }

    /// Where pulls are asked for, if it is a repository.
    pub fn pulls(&self) -> Option<Arc<Pulls>> {
        match self {
            Self::Git(git) => Some(Arc::clone(git.pulls())),
            Self::None | Self::Folder(_) => None,
        }
    }
}
