//! The content folder of a command.

use std::{path::Path, sync::Arc};

use tracing::Level;

use crate::{
    app::AppError,
    cli::{command_failure::CommandFailure, progress_bar, terminal},
    config::Config,
    content_files::{ContentFiles, Reconciler},
    site::Site,
};

/// Returns the content folder, if it exists.
pub(super) fn content_folder(config: &Config) -> Option<&Path> {
    config.content.as_deref().filter(|content| content.is_dir())
}

/// Returns the content folder, for a command that requires one.
///
/// # Errors
///
/// If it does not exist.
pub(super) fn required_content_folder(config: &Config) -> Result<&Path, CommandFailure> {
    match &config.content {
        Some(content) if content.is_dir() => Ok(content),
        Some(content) => Err(CommandFailure::Command(format!(
            "there is no folder {}. Name the content folder with --content",
            content.display()
        ))),
        None => Err(CommandFailure::Command(
            "there is no folder \"content\". Name the content folder with --content".to_owned(),
        )),
    }
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
