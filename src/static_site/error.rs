//! The errors of a build.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{error::Error, site_urls::SiteUrlError};

/// The reason why a folder could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The site's public URL is unknown.
    #[error(
        "the site's public URL is unknown. Set it with --url, with `url` in galley.toml or with `url` in site.toml: the files \
         contain it"
    )]
    NoUrl,
    /// The URL is invalid.
    #[error(transparent)]
    Url(#[from] SiteUrlError),
    /// Files that no build wrote are at paths of this build.
    #[error("{}", other_files(folder, paths))]
    OtherFiles {
        /// The folder.
        folder: PathBuf,
        /// The paths.
        paths: Vec<String>,
    },
    /// The site is private.
    #[error(
        "the site is private: a password protects its pages, but a static host shows them to all visitors. Make it public, or \
         build only the API"
    )]
    Private,
    /// Another build is writing to the folder.
    #[error("another build is writing to {}", .0.display())]
    Busy(PathBuf),
    /// The manifest of an earlier build cannot be read.
    #[error("{} cannot be read: {why}. Remove it, and build with --force", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The site cannot be read.
    #[error("the site cannot be read: {0}")]
    Site(#[from] Error),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The build was cancelled.
    #[error("the build was cancelled")]
    Cancelled,
}

pub(super) fn other_files(folder: &Path, paths: &[String]) -> String {
    format!(
        "{} contains files that no build wrote: {}. Choose another folder, or replace it with --force",
        folder.display(),
        listed(paths)
    )
}

/// Formats the first few paths, and the number of further ones.
pub(super) fn listed(paths: &[String]) -> String {
    const NAMED_MAX: usize = 3;
    let named: Vec<&str> = paths.iter().take(NAMED_MAX).map(String::as_str).collect();
    match paths.len().saturating_sub(NAMED_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
