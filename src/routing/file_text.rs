//! The text of an uploaded routes or redirects file, and positions in it.

use crate::content_text::document::{DOCUMENT_BYTES_MAX, DocumentError};

/// Largest accepted file, in bytes.
pub const FILE_BYTES_MAX: usize = DOCUMENT_BYTES_MAX;

/// Returns the text of a file, or the reason why it is rejected.
pub fn text_of(content: &[u8]) -> std::result::Result<&str, String> {
    if content.len() > FILE_BYTES_MAX {
        return Err(format!(
            "The file is larger than {} KiB.",
            FILE_BYTES_MAX >> 10
        ));
    }
    let text = str::from_utf8(content).map_err(|error| format!("It is not UTF-8: {error}."))?;
    // Spreadsheet programs and Windows write a byte order mark at the start.
    Ok(text.trim_start_matches('\u{feff}'))
}

/// Returns the line of a byte offset in a text, from 1.
pub fn line_of(text: &str, position: usize) -> usize {
    let before = &text.as_bytes()[..position.min(text.len())];
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// Formats a syntax error with its line.
pub fn describe_syntax_error(text: &str, malformed: &DocumentError) -> String {
    format!(
        "Line {}: {}. {}.",
        line_of(text, malformed.span.start),
        malformed.message,
        malformed.advice
    )
}
