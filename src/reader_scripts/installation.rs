//! Installs the scripts: extracts the packages next to the final folder and moves them there in one step.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{
    installed::{InstalledPackage, Manifest, ReaderScripts},
    packages::{PACKAGES, folder_name},
};
use crate::npm_packages::{
    InstallError, PackageRewrites, PackageSource, PinnedPackage, Step, extract, without_images_of,
};

/// The folder of the files in a package's archive.
const ROOT: &str = "package";

/// The folder in a package that contains the scripts and the files that they load.
const BUILT: &str = "umd";

/// The licence file of a package.
const LICENCE: &str = "LICENSE";

/// The extension of source maps, which only developers of the scripts use.
const SOURCE_MAP: &str = "map";

/// Hosts of the example images in scripts.
const IMAGE_HOSTS: [&str; 2] = ["https://static.ghost.org/", "https://randomuser.me/"];

/// The path of the API in scripts. The search script supports no other path.
const BUILT_API: &str = "/ghost/api/";

/// An installation of the scripts.
pub struct Installation<'a> {
    /// The folder in which the scripts are installed.
    pub scripts: &'a ReaderScripts,
    /// The versions to install.
    pub packages: &'a [PinnedPackage],
    /// The source of the packages.
    pub source: &'a PackageSource,
    /// The first segment of API paths.
    pub path_prefix: &'a str,
    /// Called with the step, the progress and the total, in bytes.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Installation<'_> {
    /// Replaces the installed scripts. An interrupted download is resumed. After a crash at any moment, either the old or the new
    /// scripts are complete, if the file system supports swapping folders.
    ///
    /// # Errors
    ///
    /// If a package cannot be obtained, its hash differs from the expected one, or it cannot be extracted.
    pub fn run(&self) -> Result<Manifest, InstallError> {
        self.scripts.files.replace(|folder, downloads| {
            let mut names = BTreeSet::new();
            for package in self.packages {
                names.append(&mut self.unpack(package, folder, downloads)?);
            }
            let preparation = PackageRewrites {
                folder,
                rewrite: &|extension, text| match extension {
                    "js" => self.rewritten(text),
                    _ => Cow::Borrowed(text),
                },
                progress: self.progress,
            };
            Ok(Manifest {
                packages: self.packages.iter().map(installed).collect(),
                path_prefix: self.path_prefix.to_owned(),
                files: names.len(),
                bytes: preparation.run(&names)?,
            })
        })
    }

    /// Returns a script that loads no images from other hosts and uses the API path of this site.
    fn rewritten<'text>(&self, script: &'text str) -> Cow<'text, str> {
        let script = without_images_of(script, &IMAGE_HOSTS);
        let own = format!("/{}/api/", self.path_prefix);
        if own == BUILT_API || !script.contains(BUILT_API) {
            return script;
        }
        Cow::Owned(script.replace(BUILT_API, &own))
    }

    /// Extracts a package into a folder, and returns the names of its files.
    fn unpack(
        &self,
        package: &PinnedPackage,
        folder: &Path,
        downloads: &Path,
    ) -> Result<BTreeSet<PathBuf>, InstallError> {
        let source = self.source.of_one(package);
        let archive = source.obtain(package, downloads, self.progress)?;
        let own = PathBuf::from(folder_name(package.name, &package.version));
        let names = extract(archive, folder, |path| {
            let path = path.strip_prefix(ROOT).ok()?;
            let is_built = path.starts_with(BUILT) && path.extension() != Some(SOURCE_MAP.as_ref());
            (is_built || path == Path::new(LICENCE)).then(|| own.join(path))
        })?;
        let loaded = PACKAGES.iter().filter(|known| known.name == package.name);
        let missing = loaded
            .flat_map(|known| known.loaded)
            .find(|file| !names.contains(&own.join(file)));
        match missing {
            Some(file) => Err(InstallError::NoFile {
                package: format!("{}@{}", package.name, package.version),
                path: format!("{ROOT}/{file}"),
            }),
            None => Ok(names),
        }
    }
}

fn installed(package: &PinnedPackage) -> InstalledPackage {
    InstalledPackage {
        name: package.name.to_owned(),
        version: package.version.clone(),
        integrity: package.integrity.clone(),
    }
}
