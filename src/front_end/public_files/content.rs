//! The served content of files, and its checksum.

use twox_hash::XxHash3_64;

/// Returns a checksum of 16 hexadecimal digits.
pub(super) fn sum(content: &str) -> String {
    format!("{:016x}", XxHash3_64::oneshot(content.as_bytes()))
}

/// Removes indentation, empty lines, and comments on separate lines from a script or style sheet.
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
