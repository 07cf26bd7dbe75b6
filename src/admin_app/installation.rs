//! Installs the app: unpacks the package next to its final folder and moves it there in one step.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{
    AdminApp, INDEX, Manifest,
    companions::{COMPANIONS, Companion},
    rewriting,
};
use crate::npm_packages::{
    InstallError, PackageRewrites, PackageSource, PinnedPackage, Step, extract,
};

/// The folder of the app in the package.
const APP_FOLDER: &str = "package/core/built/admin";

/// The licence of the app in the package.
const LICENCE: &str = "package/LICENSE";

/// An installation of the app.
pub struct Installation<'a> {
    /// The folder of the app.
    pub app: &'a AdminApp,
    /// The installed version.
    pub package: &'a PinnedPackage,
    /// The source of the package.
    pub source: &'a PackageSource,
    /// The first segment of the API's paths.
    pub path_prefix: &'a str,
    /// Receives the step, and its progress and total in bytes.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Installation<'_> {
    /// Installs the app, replacing an installed one. An interrupted download is resumed. After a crash
    /// at any time, either the old app or the new one is complete, if the file system can exchange
    /// folders.
    ///
    /// # Errors
    ///
    /// If the package cannot be obtained, does not have the expected hash, or cannot be unpacked.
    pub fn run(&self) -> Result<Manifest, InstallError> {
        self.app.files.replace(|folder, downloads| {
            let source = self.source;
            let archive = source.obtain(self.package, downloads, self.progress)?;
            self.unpack(archive, folder, downloads)
        })
    }

    fn unpack(
        &self,
        archive: File,
        folder: &Path,
        downloads: &Path,
    ) -> Result<Manifest, InstallError> {
        let mut names = extract(archive, folder, path_in_app)?;
        if !names.contains(Path::new(INDEX)) {
            return Err(InstallError::NoFile {
                package: format!("{}@{}", self.package.name, self.package.version),
                path: format!("{APP_FOLDER}/{INDEX}"),
            });
        }
        let missing = self.add_companions(folder, &mut names, downloads)?;
        let (name, empty_news) = rewriting::NEWS;
        fs::write(folder.join("assets").join(name), empty_news)?;
        let rewrites = PackageRewrites {
            folder,
            rewrite: &|extension, text| match extension {
                "css" => rewriting::style_sheet(text),
                "js" => rewriting::script(text, self.path_prefix),
                _ => Cow::Borrowed(text),
            },
            progress: self.progress,
        };
        let bytes = rewrites.run(&names)?;
        Ok(Manifest {
            version: self.package.version.clone(),
            integrity: self.package.integrity.clone(),
            path_prefix: self.path_prefix.to_owned(),
            missing,
            files: names.len(),
            bytes,
        })
    }

    /// Adds the files that scripts of the app load from other hosts. If npm cannot get a package,
    /// returns messages about the missing files.
    fn add_companions(
        &self,
        folder: &Path,
        names: &mut BTreeSet<PathBuf>,
        downloads: &Path,
    ) -> Result<Vec<String>, InstallError> {
        let is_script = |name: &&PathBuf| name.extension().is_some_and(|ending| ending == "js");
        let scripts: Vec<PathBuf> = names.iter().filter(is_script).cloned().collect();
        let loads = |companion: &Companion| {
            let mut scripts = scripts.iter();
            scripts.any(|name| {
                let script = fs::read_to_string(folder.join(name));
                script.is_ok_and(|script| companion.is_loaded_by(&script))
            })
        };
        let mut missing = Vec::new();
        for companion in COMPANIONS.iter().filter(|companion| loads(companion)) {
            let package = companion.package();
            let source = self.source.of_companion(&package);
            match source.obtain(&package, downloads, self.progress) {
                Ok(archive) => {
                    let files = companion.files;
                    let path_in_app = |path: &Path| path_of_companion(files, path);
                    names.append(&mut extract(archive, folder, path_in_app)?);
                }
                Err(error @ (InstallError::NoNpm | InstallError::Npm(_))) => missing.push(format!(
                    "{}, since {} is missing: {error}",
                    companion.purpose,
                    package.file_name()
                )),
                // Without npm, the app works without these files. An altered package is an error in
                // any case.
                Err(error) => return Err(error),
            }
        }
        Ok(missing)
    }
}

/// Returns the path in the folder of the app for a file of the package; `None` if the file is not part
/// of the app.
fn path_in_app(path: &Path) -> Option<PathBuf> {
    match path.strip_prefix(APP_FOLDER) {
        Ok(name) => Some(name.to_owned()),
        Err(_) => (path == Path::new(LICENCE)).then(|| PathBuf::from("LICENSE")),
    }
}

/// Returns the path in the folder of the app for a file of a companion's package; `None` if it is not one of
/// `files`.
fn path_of_companion(files: &[(&str, &str)], path: &Path) -> Option<PathBuf> {
    let file = files
        .iter()
        .find(|(in_package, _)| path == Path::new(in_package));
    file.map(|(_, in_app)| PathBuf::from(in_app))
}
