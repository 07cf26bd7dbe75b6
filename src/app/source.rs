//! The source of a site's content files: a folder, a repository, or none.

use std::{io, path::Path, sync::Arc};

use arc_swap::ArcSwap;

use super::AppError;
use crate::{
    config::Config,
    content_files::{ContentReport, Follower, FollowerOptions, PreparedFolder, WriteBack},
    error::Result,
    leadership::{Leadership, Workers},
    progress::{NoProgress, Progress},
    repository,
    repository::{EditCommitter, GitError, GitSource, Pulls},
    site::{LeasedSite, Site, Work},
    write_back::{FolderWriter, WriterElsewhere},
};

/// The source that the site follows, if any, in this process or another one.
#[derive(Clone)]
pub struct FollowedSource {
    site: Arc<Site>,
    report: Arc<ArcSwap<ContentReport>>,
    pulls: Option<Arc<Pulls>>,
}

impl FollowedSource {
    /// Starts the work that can be done while the store is being opened.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub fn prepare(config: &Config) -> Result<Option<PreparedFolder>, AppError> {
        // A repository is fetched later, by `GitSource`, which needs the open site.
        let folder = config.content.clone().filter(|_| config.git.is_none());
        Ok(folder.map(PreparedFolder::begin).transpose()?)
    }

    /// Returns the source of `site`, which this process does not follow yet.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn of(config: &Config, site: &Arc<Site>) -> Result<Self, AppError> {
        let pulls = config.git.as_ref().map(|git| {
            let pulls = Pulls::new(site, git.secret.clone());
            Arc::new(pulls)
        });
        let report = match &pulls {
            Some(pulls) => Arc::clone(pulls.report()),
            None => Arc::default(),
        };
        let source = Self {
            site: Arc::clone(site),
            report,
            pulls,
        };
        source.leave_to_others(config)?;
        Ok(source)
    }

    /// Loads the stored state of the source for reports, and rejects edits of its files in this
    /// process.
    fn leave_to_others(&self, config: &Config) -> Result<()> {
        // Without other processes, this one always leads, and the source itself updates the report.
        if self.site.nodes().is_none() {
            return Ok(());
        }
        if config.write_back != WriteBack::Off {
            self.site.write_files_with(Arc::new(WriterElsewhere));
        }
        let git = config.git.as_ref();
        let git = git.map(|options| repository::remembered(&self.site.current(), options));
        self.report.store(Arc::new(ContentReport {
            git: git.transpose()?,
            write_back: config.write_back,
            ..ContentReport::default()
        }));
        Ok(())
    }

    /// Updates the site from its source and follows the source whenever this process leads.
    ///
    /// # Errors
    ///
    /// If this process leads and the source cannot be read or the store rejects the changes.
    pub fn lead(
        &self,
        leadership: &mut Leadership,
        config: &Config,
        preparation: Option<PreparedFolder>,
        progress: &dyn Progress,
    ) -> Result<(), AppError> {
        if preparation.is_none() && config.git.is_none() {
            return Ok(());
        }
        // The second closure runs on a thread of the leadership, each time that this process takes
        // the lead, so it owns its values.
        let (later, later_config) = (self.clone(), config.clone());
        leadership.lead_first(
            Work::Source,
            |site| self.follow(site, config, preparation, progress),
            move |site| {
                let preparation = Self::prepare(&later_config)?;
                later.follow(site, &later_config, preparation, &NoProgress)
            },
        )
    }

    fn follow(
        &self,
        site: LeasedSite,
        config: &Config,
        preparation: Option<PreparedFolder>,
        progress: &dyn Progress,
    ) -> Result<Workers, AppError> {
        // Created before the thread, so that dropping it after an error restores the report, too.
        let mut following = Following {
            source: self.clone(),
            config: config.clone(),
            thread: None,
        };
        if config.write_back != WriteBack::Commit {
            forget_commits(&site)?;
        }
        if let (Some(git), Some(pulls)) = (&config.git, &self.pulls) {
            let (git, pulls) = (git.clone(), Arc::clone(pulls));
            let source =
                GitSource::start(site, git, pulls, &config.data, &config.uploads(), progress)?;
            following.thread = Some(Box::new(source));
        } else if let Some(preparation) = preparation {
            self.check_folder(config)?;
            let mut options = FollowerOptions {
                settle: config.settle,
                rescan: config.rescan,
                content_files: config.content_files.clone(),
                write_back: config.write_back,
                writer: None,
                view: Arc::default(),
                report: Arc::clone(&self.report),
            };
            let mut preparation = preparation;
            if let Some(folder) = config.content.as_ref()
                && config.write_back.writes_files()
            {
                let commits = config.write_back == WriteBack::Commit;
                let view = Arc::clone(&options.view);
                let writer = FolderWriter::new(folder.clone(), config.uploads(), view)
                    .with_new_files(config.new_files.clone())
                    .with_commits(commits)
                    .with_other_writers();
                let writer = Arc::new(writer);
                if commits {
                    let committer = committer(config, site.clone(), folder, Arc::clone(&writer))?;
                    preparation = preparation.committing(committer);
                }
                options.writer = Some(writer);
            }
            let follower = Follower::start(site, preparation, options, progress)?;
            following.thread = Some(Box::new(follower));
        }
        Ok(Box::new(following))
    }

    /// If several nodes share the store, checks that this node can read the content folder.
    fn check_folder(&self, config: &Config) -> io::Result<()> {
        let Some(folder) = config
            .content
            .as_ref()
            .filter(|_| self.site.nodes().is_some())
        else {
            return Ok(());
        };
        let listed = folder.read_dir().map(drop);
        listed.map_err(|error| {
            let folder = folder.display();
            io::Error::new(
                error.kind(),
                format!("the content folder {folder} cannot be read on this node: {error}"),
            )
        })
    }

    /// Returns the report on the source, which is updated over time.
    pub fn report(&self) -> Arc<ArcSwap<ContentReport>> {
        Arc::clone(&self.report)
    }

    /// Returns the pulls of the repository, if the source is a repository.
    pub fn pulls(&self) -> Option<Arc<Pulls>> {
        self.pulls.clone()
    }
}

/// The state of following the source in this process; dropping it stops following.
struct Following {
    source: FollowedSource,
    config: Config,
    thread: Option<Workers>,
}

impl Drop for Following {
    fn drop(&mut self) {
        // The thread also updates the report, so it must end before the report is replaced.
        drop(self.thread.take());
        if let Err(error) = self.source.leave_to_others(&self.config) {
            tracing::error!(%error, "the state of the content files cannot be read");
        }
    }
}

/// Opens the work tree that contains the content folder.
fn committer(
    config: &Config,
    site: LeasedSite,
    folder: &Path,
    writer: Arc<FolderWriter>,
) -> Result<EditCommitter, AppError> {
    let options = config.commits.clone();
    let opened = EditCommitter::open(site, folder, &config.data, options, writer);
    opened.map_err(|error| match error {
        GitError::Site(error) => AppError::Site(error),
        error => AppError::WriteBack(error.to_string()),
    })
}

/// Drops pending commits of edits that were made while edits were committed. The edits are already
/// in their files.
fn forget_commits(site: &LeasedSite) -> Result<(), AppError> {
    let left = site.current().edits_to_commit()?;
    if !left.is_empty() {
        tracing::warn!(
            edits = left.len(),
            "edits made while source.write_back was `commit` are in their files and will not be committed separately"
        );
        site.write(|change| change.end_commits(&left))?;
    }
    Ok(())
}
