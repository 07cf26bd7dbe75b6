//! The text of a theme's files. It is UTF-8; where other bytes are, it has U+FFFD (Ghost 6.65).

/// Returns the text of a file.
pub(super) fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
