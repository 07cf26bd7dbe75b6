//! Reads the content folder of a command.

use std::{path::Path, sync::Arc};

use tracing::Level;

use crate::{
    app::AppError,
    cli::{progress_bar, terminal},
    config::Config,
    content_files::{ContentFiles, Reconciler},
    site::Site,
};

/// Returns the content folder, if it exists.
pub(super) fn content_folder(config: &Config) -> Option<&Path> {
    config.content.as_deref().filter(|content| content.is_dir())
}

/// Reads the content folder into a site that is not being served, as serving would.
pub(super) fn read_content(
    site: &Arc<Site>,
    content: &Path,
    content_files: &ContentFiles,
) -> Result<(), AppError> {
    let reconciler = Reconciler::new(Arc::clone(site), content.to_owned())?;
    let mut reconciler = reconciler.with_content_files(content_files.clone());
    let problems = reconciler.run(None, &progress_bar::Bar::of_files(true))?;
    for problem in problems.iter().filter(|problem| problem.is_error()) {
        terminal::complain_in_lines(Level::ERROR, format_args!("{problem}\n"));
    }
    Ok(())
}
