//! Ghost's admin app, which an operator can install next to the site: static files from the npm
//! package `ghost`.
//!
//! The app is not part of this program. `package.rs` obtains the package and verifies its hash,
//! `companions.rs` has the packages with the files that the app loads from other hosts, `installation.rs` unpacks them into a folder, with compressed forms of its texts. *The folder
//! appears as a whole or not at all, and only files of that folder are served.*

mod companions;
mod error;
mod installation;
mod package;
mod rewriting;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use self::{
    error::{InstallError, Step},
    installation::Installation,
    package::{PINNED_PACKAGES, PackageSource, PinnedPackage},
};
use crate::content_files::public_files::is_plain;

/// The file in the app's folder that describes the installed version.
const MANIFEST: &str = "galley.json";

/// The page of the app.
pub const INDEX: &str = "index.html";

/// The folder of its other files.
pub const ASSETS: &str = "assets/";

/// The compressed forms of texts: the content encoding, and what their names end with.
pub const COMPRESSED_FORMS: [(&str, &str); 2] = [("br", ".br"), ("gzip", ".gz")];

/// The admin app of a site: a folder, in which it may be installed.
#[derive(Clone, Debug)]
pub struct AdminApp {
    folder: PathBuf,
}

/// The installed app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Ghost that the app belongs to.
    pub version: String,
    /// The hash of the package, as npm writes it.
    pub integrity: String,
    /// The first segment of the API's paths that the app was installed for.
    pub path_prefix: String,
    /// Description of files that are missing because a package could not be obtained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The number of its files, without compressed forms.
    pub files: usize,
    /// Their length in bytes, with compressed forms.
    pub bytes: u64,
}

impl AdminApp {
    /// Returns the app in this folder, which need not exist.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the installed app; `None` if there is none.
    pub fn manifest(&self) -> Option<Manifest> {
        let text = fs::read(self.folder.join(MANIFEST)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Opens a file by its path: [`INDEX`], or one below `assets/`. `ending` is that of a compressed
    /// form, or empty. No link is followed.
    pub fn file(&self, path: &str, ending: &str) -> Option<File> {
        let is_served = path == INDEX || path.starts_with(ASSETS);
        if !is_served || !is_plain(path) {
            return None;
        }
        let mut file_path = self.folder.clone();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
            file_path.push(folder);
            if !fs::symlink_metadata(&file_path).ok()?.is_dir() {
                return None;
            }
        }
        file_path.push(format!("{name}{ending}"));
        let is_file = fs::symlink_metadata(&file_path).is_ok_and(|metadata| metadata.is_file());
        is_file.then(|| File::open(&file_path).ok())?
    }

    /// Removes it in one step. Returns whether it was installed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be removed.
    pub fn remove(&self) -> io::Result<bool> {
        let old = self.beside("old");
        remove_folder(&old)?;
        match fs::rename(&self.folder, &old) {
            Ok(()) => remove_folder(&old).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the path of a folder next to that of the app.
    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.folder.clone().into_os_string();
        path.push(format!(".{ending}"));
        PathBuf::from(path)
    }
}

/// Removes a folder, if there is one.
fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
