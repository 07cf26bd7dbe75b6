//! The content of files as it is served, and its sum.

use sha2::{Digest, Sha256};

/// Returns 16 characters that differ if the content differs.
pub(super) fn sum(content: &str) -> String {
    let digest = Sha256::digest(content.as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns a script or styles without indentation, empty lines and comments, which have lines of their own.
pub(super) fn compact(source: &str) -> String {
    let mut compact = String::with_capacity(source.len());
    let mut is_comment = false;
    for line in source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        is_comment = is_comment || line.starts_with("/*");
        if !is_comment && !line.starts_with("//") {
            compact.push_str(line);
            compact.push('\n');
        }
        is_comment = is_comment && !line.ends_with("*/");
    }
    compact
}
