//! The bounds of lines.

/// Returns the byte offset of the start of the line that contains `position`.
pub(super) fn line_start(source: &str, position: usize) -> usize {
    memchr::memrchr(b'\n', &source.as_bytes()[..position]).map_or(0, |end| end + 1)
}

/// Returns the byte offset of the end of the line that contains `position`, before its line break.
pub(super) fn line_end(source: &str, position: usize) -> usize {
    memchr::memchr(b'\n', &source.as_bytes()[position..])
        .map_or(source.len(), |length| position + length)
}
