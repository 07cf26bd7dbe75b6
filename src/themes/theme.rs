//! A theme: its files, its templates and its version.

use std::{fs, io::Read, os::unix::fs::MetadataExt, path::Path};

use serde_json::Value;
use walkdir::WalkDir;

use crate::{
    confined_folder::ConfinedFolder,
    themes::{
        encoding,
        files::{PACKAGE, ThemeFile, ThemeFiles, ThemeVersion, is_ignored},
        limits::{
            ASSET_BYTES_MAX, DEPTH_MAX, FILES_MAX, PACKAGE_BYTES_MAX, TEMPLATE_BYTES_MAX,
            TEXTS_BYTES_MAX,
        },
        served_paths::{is_asset, is_for_readers},
        translations,
    },
};

/// A theme.
#[derive(Clone, Debug)]
pub struct Theme {
    /// The name, which is also the name of the folder.
    pub name: String,
    pub(super) files: ThemeFiles,
}

impl Theme {
    /// Returns whether the theme comes with Galley.
    pub fn is_built_in(&self) -> bool {
        matches!(self.files, ThemeFiles::BuiltIn(_))
    }

    /// Returns the theme in any folder, named after the folder.
    pub fn in_folder(folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default();
        Self {
            name: name.to_string_lossy().into_owned(),
            files: ThemeFiles::Edited(folder.to_owned()),
        }
    }

    /// Returns whether the files may be edited in their folder.
    pub fn is_edited(&self) -> bool {
        matches!(self.files, ThemeFiles::Edited(_))
    }

    /// Returns the parsed package; `None` if it does not exist or cannot be read.
    pub fn package(&self) -> Option<Value> {
        let bytes = self.read(PACKAGE, PACKAGE_BYTES_MAX)?;
        let package: Value = serde_json::from_str(&encoding::decoded(bytes)).ok()?;
        package.is_object().then_some(package)
    }

    /// Returns an asset by its path below `assets/`. `None` if it does not exist or is not served, as templates, packages,
    /// documents about the theme, and files without an extension.
    pub fn asset(&self, path: &str) -> Option<ThemeFile> {
        is_asset(path).then(|| self.open(&format!("assets/{path}")))?
    }

    /// Returns the paths of the assets below `assets/`, sorted.
    pub fn asset_paths(&self) -> Vec<String> {
        let paths = self.paths().into_iter();
        let below = paths.filter_map(|path| Some(path.strip_prefix("assets/")?.to_owned()));
        below.filter(|path| is_asset(path)).collect()
    }

    /// Opens a file outside of the assets that a site serves, such as `robots.txt`, by its path in the theme; `None` if it does
    /// not exist or is not for readers. No link is followed.
    pub fn top_file(&self, path: &str) -> Option<ThemeFile> {
        (is_asset(path) && is_for_readers(path)).then(|| self.open(path))?
    }

    /// Returns the names of the top-level templates, without `.hbs`, sorted.
    pub fn top_templates(&self) -> Vec<String> {
        let paths = self.paths();
        let at_top = paths.iter().filter(|path| !path.contains('/'));
        at_top
            .filter_map(|path| Some(path.strip_suffix(".hbs")?.to_owned()))
            .collect()
    }

    /// Returns the version of the files. An upload replaces the whole folder, so the metadata of the folder suffices; a folder
    /// whose files may be edited is walked.
    pub fn version(&self) -> ThemeVersion {
        let version = |path: &Path| {
            let metadata = fs::symlink_metadata(path).ok()?;
            // The time of change and not of modification: programs can set the latter, and
            // unpacking an archive does. The inode distinguishes a folder that was swapped within
            // one tick of the clock.
            let changed = (metadata.ctime(), metadata.ctime_nsec());
            Some((metadata.dev(), metadata.ino(), changed.0, changed.1))
        };
        let files = match &self.files {
            ThemeFiles::BuiltIn(_) => Vec::new(),
            ThemeFiles::Folder(folder) => version(folder).into_iter().collect(),
            ThemeFiles::Edited(folder) => {
                let paths = self.paths().into_iter();
                paths
                    .filter_map(|path| version(&folder.join(path)))
                    .collect()
            }
        };
        ThemeVersion {
            name: self.name.clone(),
            files,
        }
    }

    /// Returns the text of the template at a path such as `partials/card.hbs`.
    pub fn template(&self, path: &str) -> Option<String> {
        self.read(path, TEMPLATE_BYTES_MAX).map(encoding::decoded)
    }

    /// Returns the path and the text of each template and translation, sorted by path. Files that exceed a limit, alone or
    /// together, are skipped.
    pub fn texts(&self) -> Vec<(String, String)> {
        let files = self.text_files().into_iter();
        files
            .map(|(path, bytes)| (path, encoding::decoded(bytes)))
            .collect()
    }

    /// Returns the same files as [`Self::texts`], but not decoded.
    pub(super) fn text_files(&self) -> Vec<(String, Vec<u8>)> {
        let paths = self.paths();
        // Separate limits, so that large translations cannot suppress templates.
        let (mut templates, mut translations) = (self.text_reader(), self.text_reader());
        let read = |path: String| {
            let bytes = if path.ends_with(".hbs") {
                templates(&path)?
            } else if translations::is_translation(&path) {
                translations(&path)?
            } else {
                return None;
            };
            Some((path, bytes))
        };
        paths.into_iter().filter_map(read).collect()
    }

    /// Returns a function that reads templates or translations one by one. It returns `None` for a file that cannot be read, or
    /// that exceeds a limit, alone or together with the files before it.
    pub(super) fn text_reader(&self) -> impl FnMut(&str) -> Option<Vec<u8>> {
        let mut bytes_left = TEXTS_BYTES_MAX;
        move |path| {
            let bytes = self.read(path, TEMPLATE_BYTES_MAX.min(bytes_left))?;
            bytes_left -= bytes.len() as u64;
            Some(bytes)
        }
    }

    /// Returns the content of an asset by its path below `assets/`; `None` if it does not exist, is not served, or is larger than
    /// 16 MiB.
    pub fn asset_content(&self, path: &str) -> Option<Vec<u8>> {
        let path = is_asset(path).then(|| format!("assets/{path}"))?;
        self.read(&path, ASSET_BYTES_MAX)
    }

    /// Returns the paths of the files, sorted, without links and hidden files.
    pub(super) fn paths(&self) -> Vec<String> {
        let folder = match &self.files {
            ThemeFiles::BuiltIn(files) => {
                return files.iter().map(|(path, _)| (*path).to_owned()).collect();
            }
            ThemeFiles::Folder(folder) | ThemeFiles::Edited(folder) => folder,
        };
        let is_considered = |entry: &walkdir::DirEntry| {
            entry.depth() == 0 || !is_ignored(&entry.file_name().to_string_lossy())
        };
        let mut paths: Vec<String> = WalkDir::new(folder)
            .max_depth(DEPTH_MAX + 1)
            .into_iter()
            .filter_entry(is_considered)
            // Entries that cannot be read are treated as missing.
            .filter_map(walkdir::Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| Some(entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned()))
            .take(FILES_MAX)
            .collect();
        paths.sort_unstable();
        paths
    }

    /// Opens the file at a path; `None` if it does not exist. No link is followed.
    pub(super) fn open(&self, path: &str) -> Option<ThemeFile> {
        match &self.files {
            ThemeFiles::BuiltIn(files) => files
                .iter()
                .find(|(own, _)| *own == path)
                .map(|(_, text)| ThemeFile::BuiltIn(text)),
            ThemeFiles::Folder(folder) | ThemeFiles::Edited(folder) => {
                let mut file_path = folder.clone();
                for part in path.split('/') {
                    file_path.push(part);
                    let metadata = fs::symlink_metadata(&file_path).ok()?;
                    // `ConfinedFolder` follows links that stay in the folder. Themes must not have
                    // any, since uploads with links are refused.
                    if metadata.is_symlink() {
                        return None;
                    }
                }
                // Only regular files are opened: reading another type of file, such as a pipe, could block forever.
                let folder = ConfinedFolder::open(folder).ok()?;
                folder.open_file(path).ok().map(ThemeFile::Open)
            }
        }
    }

    /// Returns the content of a file; `None` if it cannot be read or is larger than `bytes_max` bytes.
    pub(super) fn read(&self, path: &str, bytes_max: u64) -> Option<Vec<u8>> {
        match self.open(path)? {
            ThemeFile::BuiltIn(text) => Some(text.as_bytes().to_vec()),
            ThemeFile::Open(file) => {
                let mut bytes = Vec::new();
                // One byte more, to distinguish a file of exactly the limit from a larger one,
                // whatever its metadata says.
                file.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
                (bytes.len() as u64 <= bytes_max).then_some(bytes)
            }
        }
    }
}
