//! The folder and the files that a command checks.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    cli::command_failure::CommandFailure,
    config::{self, Config},
    content_files::{self, ContentFiles, Project},
};

/// The files to check.
pub(super) struct CheckScope {
    pub folder: PathBuf,
    /// The paths of the files, relative to the folder; `None` for all.
    pub files: Option<BTreeSet<String>>,
    /// Settings of the content folder.
    pub content_files: ContentFiles,
}

impl CheckScope {
    /// Returns the folder that `paths` name or that contains the files at `paths`. Without paths, returns the
    /// configured folder.
    ///
    /// # Errors
    ///
    /// If there is no such folder or file, or the files are in no content folder or in several.
    pub fn of(paths: &[PathBuf], config: &Config) -> Result<Self, CommandFailure> {
        let content_files = config.content_files.clone();
        let configured = config.content.clone().or_else(config::default_content);
        let folder = match paths {
            [] => configured.ok_or_else(|| {
                let message = "there is no folder \"content\". Name one: `galley check DIR`";
                CommandFailure::Command(message.to_owned())
            })?,
            [path] if !path.is_file() => path.clone(),
            files => return Self::of_files(files, configured.as_deref(), &content_files),
        };
        if folder.is_dir() {
            Ok(Self {
                content_files: config.content_files_with(&folder)?,
                folder,
                files: None,
            })
        } else {
            Err(CommandFailure::Command(format!(
                "there is no folder {}",
                folder.display()
            )))
        }
    }

    fn of_files(
        files: &[PathBuf],
        configured: Option<&Path>,
        content_files: &ContentFiles,
    ) -> Result<Self, CommandFailure> {
        let mut scope: Option<Self> = None;
        for file in files {
            let (folder, path, settings) = located(file, configured)?;
            let scope = scope.get_or_insert_with(|| Self {
                folder: folder.clone(),
                files: Some(BTreeSet::new()),
                content_files: settings.unwrap_or_else(|| content_files.clone()),
            });
            if scope.folder != folder {
                return Err(CommandFailure::Command(format!(
                    "{} and {} are different content folders. Check one at a time",
                    scope.folder.display(),
                    folder.display()
                )));
            }
            scope.files.get_or_insert_default().insert(path);
        }
        scope.ok_or_else(|| CommandFailure::Command("there is nothing to check".to_owned()))
    }
}

/// The content folder that contains a file, the path of the file in that folder, and the content settings of the
/// folder's own `galley.toml`.
type LocatedFile = (PathBuf, String, Option<ContentFiles>);

/// Returns the content folder that contains `file`: the configured folder; else the one of the nearest `galley.toml`
/// above the file; else the generator project that the file belongs to; else the nearest folder in which the path makes
/// the file content.
fn located(file: &Path, configured: Option<&Path>) -> Result<LocatedFile, CommandFailure> {
    let failure = |why: &str| CommandFailure::Command(format!("{}: {why}", file.display()));
    let absolute = file
        .canonicalize()
        .map_err(|error| failure(&error.to_string()))?;
    if !absolute.is_file() {
        return Err(failure("not a file. Name one folder, or files"));
    }
    let path_in = |folder: &Path| {
        // Canonical like the file, because either path may contain symbolic links.
        let folder = folder.canonicalize().ok()?;
        let path = absolute.strip_prefix(&folder).ok()?.to_str()?.to_owned();
        Some((folder, path))
    };
    if let Some((folder, path)) = configured.and_then(path_in) {
        return Ok((folder, path, None));
    }
    for folder in Project::folders_above(&absolute) {
        if let Some((content, settings)) = config::content_of_site_folder(folder)? {
            match path_in(&content) {
                Some((folder, path)) => return Ok((folder, path, Some(settings))),
                // The nearest file decides, even if its content folder does not contain the file.
                None => break,
            }
        }
    }
    let by_name = || {
        let mut folders = absolute.ancestors().skip(1).filter_map(path_in);
        folders.find(|(_, path)| content_files::kind_of(path).is_some())
    };
    let location = Project::around_document(&absolute).or_else(by_name);
    let (folder, path) = location.ok_or_else(|| {
        failure("not in a content folder. Set the folder with `content` in galley.toml")
    })?;
    Ok((folder, path, None))
}
