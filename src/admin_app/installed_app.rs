//! The files of the installed app.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::npm_packages::{InstallError, InstalledFolder};

/// The page of the app.
pub const INDEX: &str = "index.html";

/// The folder of its other files.
pub const ASSETS: &str = "assets/";

/// The admin app of a site: a folder in which it may be installed.
#[derive(Clone, Debug)]
pub struct AdminApp {
    pub(super) files: InstalledFolder,
}

/// The installed app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Ghost that the app belongs to.
    pub version: String,
    /// The hash of the package, in the format of npm.
    pub integrity: String,
    /// The first segment of the API's paths that the app was installed for.
    pub path_prefix: String,
    /// Messages about files that are missing because a package could not be obtained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The number of files, without compressed forms.
    pub files: usize,
    /// The length of all files in bytes, with compressed forms.
    pub bytes: u64,
}

impl AdminApp {
    /// Returns the app in this folder, which need not exist.
    pub fn at(folder: PathBuf) -> Self {
        Self {
            files: InstalledFolder::at(folder),
        }
    }

    /// Returns the folder of the app.
    pub fn folder(&self) -> &Path {
        self.files.path()
    }

    /// Returns the installed app; `None` if there is none.
    pub fn manifest(&self) -> Option<Manifest> {
        self.files.manifest()
    }

    /// Opens a file by its path: [`INDEX`], or a path below `assets/`. `ending` is the suffix of a
    /// compressed form, or empty. Symbolic links are not followed.
    pub fn file(&self, path: &str, ending: &str) -> Option<File> {
        let is_served = path == INDEX || path.starts_with(ASSETS);
        is_served.then(|| self.files.file(path, ending))?
    }

    /// Removes the app in one step. Returns whether it was installed.
    ///
    /// # Errors
    ///
    /// `Busy` if an installation is running; if the folder cannot be removed.
    pub fn remove(&self) -> Result<bool, InstallError> {
        self.files.remove()
    }
}
