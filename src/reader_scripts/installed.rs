//! The installed scripts.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::packages::{folder_name, short_name};
use crate::npm_packages::{FolderVersion, InstallError, InstalledFolder};

/// The scripts of a site, in a folder that may be missing.
#[derive(Clone, Debug)]
pub struct ReaderScripts {
    pub(super) files: InstalledFolder,
}

/// The installed packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The packages.
    pub packages: Vec<InstalledPackage>,
    /// The first segment of API paths for which the scripts were installed.
    pub path_prefix: String,
    /// The number of files, without compressed copies.
    pub files: usize,
    /// The total size in bytes, with compressed copies.
    pub bytes: u64,
}

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledPackage {
    /// The name on npm.
    pub name: String,
    /// The version.
    pub version: String,
    /// The hash of the package in the format of npm.
    pub integrity: String,
}

impl Manifest {
    /// Returns the path of a file in the package with this name without `@tryghost/`; `None` if the package is not installed. The
    /// path contains the version, so browsers may cache the file for long.
    pub fn path_of(&self, package: &str, file: &str) -> Option<String> {
        let mut packages = self.packages.iter();
        let package = packages.find(|installed| installed.short_name() == package)?;
        let folder = folder_name(&package.name, &package.version);
        Some(format!("{folder}/{file}"))
    }
}

impl InstalledPackage {
    /// Returns the name without `@tryghost/`.
    pub fn short_name(&self) -> &str {
        short_name(&self.name)
    }
}

impl ReaderScripts {
    /// Returns the scripts in a folder, which may be missing.
    pub fn at(folder: PathBuf) -> Self {
        Self {
            files: InstalledFolder::at(folder),
        }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// Returns the installed packages; `None` if no scripts are installed.
    pub fn manifest(&self) -> Option<Manifest> {
        self.files.manifest()
    }

    /// Returns the version of the installed files, which changes with each installation; `None` if no scripts are installed.
    pub fn version(&self) -> Option<FolderVersion> {
        self.files.version()
    }

    /// Opens a file of a package. `ending` is the extension of a compressed copy, or empty. No link is followed.
    pub fn file(&self, path: &str, ending: &str) -> Option<File> {
        // Each package has a folder. Files at the top, such as the manifest, are not served.
        path.contains('/').then(|| self.files.file(path, ending))?
    }

    /// Removes the scripts in one step. Returns whether they were installed.
    ///
    /// # Errors
    ///
    /// `Busy` if an installation is running; if the folder cannot be removed.
    pub fn remove(&self) -> Result<bool, InstallError> {
        self.files.remove()
    }
}
