//! The encoding of a theme's files: UTF-8, with U+FFFD in place of invalid bytes (Ghost 6.65).

/// Returns the text of a file.
pub(super) fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
