//! Patterns of paths of files.

use globset::{GlobBuilder, GlobMatcher};

/// Returns the matcher of a pattern, in which `*` stays within a folder.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .empty_alternates(true)
        .build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}
