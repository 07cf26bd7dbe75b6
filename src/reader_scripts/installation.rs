//! Installs the scripts: unpacks the packages next to the final folder and moves them there in one step.

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

/// The folder of a package's files in its archive.
const ROOT: &str = "package";

/// The folder of a package with its scripts and the files that they load.
const BUILT: &str = "umd";

/// The licence of a package.
const LICENCE: &str = "LICENSE";

/// The extension of source maps, which only developers of the scripts load.
const SOURCE_MAP: &str = "map";

/// Hosts of images that scripts show as examples.
const IMAGE_HOSTS: [&str; 2] = ["https://static.ghost.org/", "https://randomuser.me/"];

/// The path of the API in scripts, of which search knows no other.
const BUILT_API: &str = "/ghost/api/";

/// An installation of the scripts.
pub struct Installation<'a> {
    /// The folder of the scripts.
    pub scripts: &'a ReaderScripts,
    /// The installed versions.
    pub packages: &'a [PinnedPackage],
    /// The source of the packages.
    pub source: &'a PackageSource,
    /// The first segment of the API's paths.
    pub path_prefix: &'a str,
    /// Gets the step, and the progress and the total of it in bytes.
    pub progress: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Installation<'_> {
    /// Installs the scripts in place of those that are there. A download that was interrupted is continued. At any crash, the old
    /// scripts or the new ones are there, all of them, if the file system can exchange folders.
    ///
    /// # Errors
    ///
    /// If a package cannot be obtained, has another hash than expected, or cannot be unpacked.
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

    /// Returns a script that shows no images of other hosts and reads the API of this site.
    fn rewritten<'text>(&self, script: &'text str) -> Cow<'text, str> {
        let script = without_images_of(script, &IMAGE_HOSTS);
        let own = format!("/{}/api/", self.path_prefix);
        if own == BUILT_API || !script.contains(BUILT_API) {
            return script;
        }
        Cow::Owned(script.replace(BUILT_API, &own))
    }

    /// Unpacks a package into a folder, and returns the names of its files.
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
