//! The content of files as it is served, and its sum.

use twox_hash::XxHash3_64;

/// Returns 16 characters that differ if the content differs.
pub(super) fn sum(content: &str) -> String {
    format!("{:016x}", XxHash3_64::oneshot(content.as_bytes()))
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
