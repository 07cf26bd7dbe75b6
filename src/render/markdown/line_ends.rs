//! The lines around a position of a source.

/// Returns the start of the line at `position`.
pub(super) fn line_start(source: &str, position: usize) -> usize {
    memchr::memrchr(b'\n', &source.as_bytes()[..position]).map_or(0, |end| end + 1)
}

/// Returns the end of the line at `position`, without its line break.
pub(super) fn line_end(source: &str, position: usize) -> usize {
    memchr::memchr(b'\n', &source.as_bytes()[position..])
        .map_or(source.len(), |length| position + length)
}
