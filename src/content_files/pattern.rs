//! Patterns of file paths.

use globset::{GlobBuilder, GlobMatcher};

/// Compiles a pattern, in which `*` does not match `/`. The error is the reason that it is invalid.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .empty_alternates(true)
        .build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}
