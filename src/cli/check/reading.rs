//! Reads the content files of a site that is not being served.

use std::{path::PathBuf, sync::Arc};

use super::served_counts::ServedCounts;
use crate::{
    app::AppError,
    clock::SystemClock,
    config::Config,
    content_files::{ContentFiles, ContentReport, Layout, Reconciler},
    error::Error,
    progress::{NoProgress, Progress},
    repository,
    site::Site,
    store::memory::MemoryStore,
    themes::InstalledThemes,
};

/// The result of checking a content folder.
pub(super) struct CheckedFolder {
    /// Its files and problems.
    pub report: ContentReport,
    /// The kinds of its files.
    pub layout: Arc<Layout>,
    /// Counts of the content that readers get.
    pub served: ServedCounts,
    /// The documents that the generator ignores, by folder and reason.
    pub ignored: Vec<String>,
    /// The reason why the folder has no content, if it is read as a project without content.
    pub absence: Option<String>,
}

/// Reads a content folder into a temporary site with these themes.
pub(super) fn check(
    content: PathBuf,
    content_files: &ContentFiles,
    themes: InstalledThemes,
    progress: &dyn Progress,
) -> Result<CheckedFolder, AppError> {
    let read = move || -> Result<CheckedFolder, Error> {
        let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock))?;
        site.check_settings_with(Arc::new(themes));
        let site = Arc::new(site);
        let reconciler = Reconciler::new(Arc::clone(&site), content)?;
        let mut reconciler = reconciler.with_content_files(content_files.clone());
        reconciler.run(None, progress)?;
        Ok(CheckedFolder {
            ignored: reconciler.ignored_files(),
            absence: reconciler.absence(),
            report: reconciler.report(),
            layout: Arc::clone(reconciler.layout()),
            served: ServedCounts::of(&site.current())?,
        })
    };
    read().map_err(AppError::Site)
}

/// Returns the report on the content files of a site that is not being served.
pub fn report(config: &Config, site: &Site) -> Result<ContentReport, AppError> {
    let mut report = match config.content_folder().filter(|content| content.is_dir()) {
        Some(content) => {
            check(content, &config.content_files, config.themes(), &NoProgress)?.report
        }
        None => ContentReport::default(),
    };
    if let Some(options) = &config.git {
        report.git = Some(repository::remembered(&site.current(), options)?);
    }
    Ok(report)
}
