//! The rule about the encoding of a theme's files.

use super::{
    Level, Theme,
    files::PACKAGE,
    limits::PACKAGE_BYTES_MAX,
    rules::{Positions, Rules},
};

/// Reports the templates, translations and packages that are not UTF-8.
pub(super) fn check(rules: &mut Rules, theme: &Theme) {
    let package = theme.read(PACKAGE, PACKAGE_BYTES_MAX);
    let package = package.map(|bytes| (PACKAGE.to_owned(), bytes));
    let files = theme.text_files().into_iter().chain(package);
    let positions: Positions = files
        // Only the first invalid byte of each file is reported: a file in another encoding has
        // many.
        .filter_map(|(path, bytes)| Some((path, Some(first_other_byte(&bytes)?))))
        .collect();
    rules.report_where(
        "GALLEY-TEXT-ENCODING",
        Level::Warning,
        "Templates, translations and package.json should be UTF-8",
        "Pages show invalid bytes as U+FFFD, a question mark: save the file as UTF-8.",
        positions,
    );
}

/// Returns the line and the value of the first byte that is not UTF-8.
fn first_other_byte(bytes: &[u8]) -> Option<String> {
    let start = std::str::from_utf8(bytes).err()?.valid_up_to();
    let (before, rest) = bytes.split_at(start);
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    Some(format!(
        "line {line}: the byte 0x{:02x} is not UTF-8.",
        rest.first()?
    ))
}
