//! Folders of sites, and their content folders.

use std::path::{Path, PathBuf};

use super::{ConfigError, content_files, values::Values};
use crate::content_files::ContentFiles;

/// The content folder that is served by default, if it exists.
const CONTENT: &str = "content";

/// Returns whether `galley.toml` in `folder` sets options other than those of content files, so that `folder` is
/// the folder of a site. Returns false if the file does not exist.
///
/// # Errors
///
/// If the file is invalid.
pub fn is_site_folder(folder: &Path) -> Result<bool, ConfigError> {
    match Values::in_folder(folder)? {
        Some(values) => values.read(|values| Ok(!values.are_all_below("content_files."))),
        None => Ok(false),
    }
}

/// Returns the content folder that `galley.toml` in `folder` sets, else the default one next to that file, else
/// `folder` itself, with the settings of its files. `None` if there is no `galley.toml`.
///
/// # Errors
///
/// If a value in that file is invalid.
pub fn content_of_site_folder(
    folder: &Path,
) -> Result<Option<(PathBuf, ContentFiles)>, ConfigError> {
    let Some(values) = Values::in_folder(folder)? else {
        return Ok(None);
    };
    let default = folder.join(CONTENT);
    let content = match values.given("content") {
        Some(path) if !path.is_empty() => folder.join(path),
        _ if default.is_dir() => default,
        _ => folder.to_owned(),
    };
    Ok(Some((content, values.read(content_files::among)?)))
}

/// Returns the default content folder, if it exists.
pub fn default_content() -> Option<PathBuf> {
    Some(PathBuf::from(CONTENT)).filter(|path| path.is_dir())
}
