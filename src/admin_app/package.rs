//! The package of the app, in the versions with known hashes.

use crate::npm_packages::{InstallError, PinnedPackage, check_version};

/// The name of the package.
const GHOST: &str = "ghost";

/// The versions with known hashes, the default first.
pub const PINNED_PACKAGES: [(&str, &str); 1] = [(
    "6.65.0",
    "sha512-D369qivOmfn4YwvBD1DljOGsHnJzBEQhBsiFnBZD+GjWrBpdZQYYNHneiQcKQVJwUom8eHWml1n5FRLQIwVFOg==",
)];

/// Returns the package of a version, by default the first known one. Its hash is `integrity`, or
/// else the known one.
///
/// # Errors
///
/// `UnknownVersion` if the hash of the version is neither known nor given, `InvalidIntegrity` if
/// the given hash is not a SHA-512 hash.
pub fn package_of(
    version: Option<&str>,
    integrity: Option<&str>,
) -> Result<PinnedPackage, InstallError> {
    let version = version.unwrap_or(PINNED_PACKAGES[0].0);
    check_version(version)?;
    let known = PINNED_PACKAGES.iter().find(|(known, _)| *known == version);
    let integrity = integrity.or(known.map(|(_, integrity)| *integrity));
    let integrity = integrity.ok_or_else(|| InstallError::UnknownVersion(version.to_owned()))?;
    PinnedPackage::new(GHOST, version, integrity)
}
