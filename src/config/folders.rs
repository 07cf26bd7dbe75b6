//! Finds the content folder of a site, and the settings of a folder's content files.

use std::path::{Path, PathBuf};

use super::{Config, ConfigError, content_files, values::Values};
use crate::content_files::ContentFiles;

/// The content folder that is served by default, if it exists.
const CONTENT: &str = "content";

impl Config {
    /// Returns the settings for the files of an imported folder: from the `galley.toml` in it, or from this
    /// configuration if the folder is the served one.
    ///
    /// # Errors
    ///
    /// If a value in that file is invalid.
    pub fn content_files_of(&self, folder: &Path) -> Result<ContentFiles, ConfigError> {
        if let Some(own) = content_files::in_folder(folder)? {
            return Ok(own);
        }
        let real = |path: &Path| path.canonicalize().ok();
        let content = self.content.as_deref().and_then(real);
        Ok(if content.is_some() && content == real(folder) {
            self.content_files.clone()
        } else {
            ContentFiles::default()
        })
    }

    /// Returns the settings for checking the files of the content folder `folder`: as if it were served, with missing
    /// settings from the `galley.toml` in it.
    ///
    /// # Errors
    ///
    /// If a value in that file is invalid.
    pub fn content_files_with(&self, folder: &Path) -> Result<ContentFiles, ConfigError> {
        let own = content_files::in_folder(folder)?;
        Ok(self.content_files.clone().or(own.unwrap_or_default()))
    }

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
}
