//! Checks for a newer release.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::releases::NewestRelease;

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reads the document of releases, if one is set.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(url) = &examined.config.upgrade_url else {
        return vec![UnnamedFinding::skipped(format!(
            "upgrade.url is not set, so nothing was looked up; this is Galley {VERSION}"
        ))];
    };
    let newest =
        NewestRelease::read(url).and_then(|newest| newest.is_newer().map(|is| (newest, is)));
    vec![match newest {
        Ok((_, false)) => UnnamedFinding::ok(format!("Galley {VERSION} is the newest")),
        Ok((newest, true)) => UnnamedFinding::warning(
            format!(
                "Galley {} is newer than this one, {VERSION}",
                newest.version
            ),
            "Read CHANGELOG.md, back up, and upgrade: docs/upgrading.md.",
        ),
        Err(error) => UnnamedFinding::warning(error.to_string(), "Check upgrade.url."),
    }]
}
