//! Helpers that read one content file.

use galley::{
    content_files::{ContentFile, Context, ParsedFile, PostFile, parse},
    content_text::Diagnostic,
};
use jiff::tz::TimeZone;

/// Reads `text` as the file at `path` of a site in Amsterdam.
pub fn read(path: &str, text: impl AsRef<[u8]>) -> ParsedFile {
    parse(
        path,
        text.as_ref(),
        &Context {
            time_zone: TimeZone::get("Europe/Amsterdam").unwrap(),
            layout: std::sync::Arc::default(),
            included_files: galley::content_files::IncludedFiles::default(),
            themes: None,
        },
    )
}

/// Reads a post and asserts that it has no diagnostics.
pub fn post(path: &str, text: impl AsRef<[u8]>) -> PostFile {
    let parsed = read(path, text);
    assert_eq!(parsed.diagnostics, [], "{path}");
    match parsed.value {
        Some(ContentFile::Post(post)) => *post,
        other => panic!("{path} is not a post: {other:?}"),
    }
}

/// Reads a file and returns its only diagnostic.
pub fn problem(path: &str, text: impl AsRef<[u8]>) -> Diagnostic {
    let parsed = read(path, text);
    match <[Diagnostic; 1]>::try_from(parsed.diagnostics) {
        Ok([diagnostic]) => diagnostic,
        Err(diagnostics) => panic!("{path}: expected one diagnostic, found {diagnostics:?}"),
    }
}
