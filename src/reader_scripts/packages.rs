//! The packages of the scripts, in versions with known hashes.

use crate::npm_packages::{InstallError, PinnedPackage};

/// The npm scope of the packages.
const SCOPE: &str = "@tryghost/";

/// The package of a script.
pub(super) struct ScriptPackage {
    pub(super) name: &'static str,
    version: &'static str,
    integrity: &'static str,
    /// The files that pages load.
    pub(super) loaded: &'static [&'static str],
}

/// All packages, in the newest versions that Ghost 6.65 accepts.
pub(super) static PACKAGES: [ScriptPackage; 4] = [
    ScriptPackage {
        name: "@tryghost/portal",
        version: "2.71.227",
        integrity: "sha512-Sblze7y76/bIzbbwF7EYPG7BUDaYU5UDaBWqYe5DlR4Ui36tY6M9D0eftpIEpEExWm0w3DMehOnk9YUjXujbog==",
        loaded: &["umd/portal.min.js"],
    },
    ScriptPackage {
        name: "@tryghost/sodo-search",
        version: "1.8.591",
        integrity: "sha512-eT8YKVe1GL/bUjPYwdUX6PXK6nXs3UOMEZehEvP7sLvga+nK8zw0nVgVMfD8X9yTXwcm3ic8WVsDBpB8lQD7+w==",
        loaded: &["umd/sodo-search.min.js", "umd/main.css"],
    },
    ScriptPackage {
        name: "@tryghost/announcement-bar",
        version: "1.1.561",
        integrity: "sha512-iNCozjVkwaqQ2qhfrdzV7fcUPgUTRC1zCLoOxN/OOkh48G9LWjRsJo/l7EIZLokNB/6mvtuShgxHPPXiM2NrLw==",
        loaded: &["umd/announcement-bar.min.js"],
    },
    ScriptPackage {
        name: "@tryghost/comments-ui",
        version: "1.6.324",
        integrity: "sha512-rzfxSJSnuz+E3AlRf73Cpt9Byd+gy5/D3m2kAqIzCR1LYYGwYS/c5vuR4qwMi8y9pa45mBUxpP19qwbtNtsmag==",
        loaded: &["umd/comments-ui.min.js"],
    },
];

/// Returns the packages in the known versions, except for those in `others`, which are specified as `portal@2.71.228=sha512-…`.
///
/// # Errors
///
/// `InvalidPackage`, `InvalidVersion` or `InvalidIntegrity` if an item of `others` is malformed.
pub fn packages_with(others: &[String]) -> Result<Vec<PinnedPackage>, InstallError> {
    let known = |package: &ScriptPackage| PinnedPackage {
        name: package.name,
        version: package.version.to_owned(),
        integrity: package.integrity.to_owned(),
    };
    let mut packages: Vec<PinnedPackage> = PACKAGES.iter().map(known).collect();
    for text in others {
        let invalid = || InstallError::InvalidPackage {
            text: text.clone(),
            names: PACKAGES
                .each_ref()
                .map(|package| short_name(package.name))
                .join(", "),
        };
        let (package, integrity) = text.split_once('=').ok_or_else(invalid)?;
        let (name, version) = package.rsplit_once('@').ok_or_else(invalid)?;
        let name = short_name(name);
        let mut packages = packages.iter_mut();
        let package = packages
            .find(|package| short_name(package.name) == name)
            .ok_or_else(invalid)?;
        *package = PinnedPackage::new(package.name, version, integrity)?;
    }
    Ok(packages)
}

/// Returns the name of a package without its scope.
pub(super) fn short_name(name: &str) -> &str {
    name.strip_prefix(SCOPE).unwrap_or(name)
}

/// Returns the name of the folder of a package.
pub(super) fn folder_name(name: &str, version: &str) -> String {
    format!("{}-{version}", short_name(name))
}
