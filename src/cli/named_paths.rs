//! The folders and files that options name, without which no site is served.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use super::CommandFailure;
use crate::{certificates::CertificateSource, config::Config};

/// Checks that the folders and files that options name exist and can be read.
///
/// # Errors
///
/// The first one that cannot be read.
pub fn check(config: &Config) -> Result<(), CommandFailure> {
    let folder = |path: &Option<PathBuf>, what: &dyn Fn(&Path) -> String| match path {
        Some(path) if !path.is_dir() => Err(CommandFailure::Command(what(path))),
        _ => Ok(()),
    };
    folder(&config.content, &|path| {
        format!(
            "there is no folder {}. Name the content folder with --content, or serve without one with --no-content",
            path.display()
        )
    })?;
    folder(&config.theme, &|path| {
        format!("there is no folder {} with a theme", path.display())
    })?;
    folder(&config.uploads_folder, &|path| {
        format!(
            "there is no folder {} for uploads. It is never created, because it may be a disk that is not mounted",
            path.display()
        )
    })?;
    let source = config.https.as_ref().map(|https| &https.source);
    if let Some(CertificateSource::Files { certificate, key }) = source {
        for file in [certificate, key] {
            File::open(file).map_err(|error| {
                CommandFailure::Command(format!("cannot read {}: {error}", file.display()))
            })?;
        }
    }
    Ok(())
}
