//! Checks of the configuration before the server starts, beyond the validity of single values.
//! `galley doctor` and reloads run the same checks.

use std::{fs::File, path::Path};

use super::AppError;
use crate::{
    certificates::CertificateSource, config::Config, content_files::WriteBack,
    repository::check_work_tree,
};

/// Checks that the values are consistent, and that the folders and files that options name exist
/// and can be read.
///
/// # Errors
///
/// All inconsistent values, or else the first folder or file that cannot be used.
pub fn check_start(config: &Config) -> Result<(), AppError> {
    config.check_start().map_err(AppError::Config)?;
    check_folder(config.content.as_deref(), &|path| {
        format!(
            "there is no folder {}. Name the content folder with --content, or serve without one with --no-content",
            path.display()
        )
    })?;
    check_folder(config.theme.as_deref(), &|path| {
        format!("there is no folder {} with a theme", path.display())
    })?;
    check_folder(config.uploads_folder.as_deref(), &|path| {
        format!(
            "there is no folder {} for uploads. It is never created, because it may be a disk that is not mounted",
            path.display()
        )
    })?;
    let source = config.https.as_ref().map(|https| &https.source);
    if let Some(CertificateSource::Files { certificate, key }) = source {
        for file in [certificate, key] {
            File::open(file).map_err(|error| {
                AppError::NamedPath(format!("cannot read {}: {error}", file.display()))
            })?;
        }
    }
    if let (WriteBack::Commit, Some(folder)) = (config.write_back, &config.content) {
        check_work_tree(folder).map_err(|error| AppError::WriteBack(error.to_string()))?;
    }
    Ok(())
}

fn check_folder(path: Option<&Path>, message: &dyn Fn(&Path) -> String) -> Result<(), AppError> {
    match path {
        Some(path) if !path.is_dir() => Err(AppError::NamedPath(message(path))),
        _ => Ok(()),
    }
}
