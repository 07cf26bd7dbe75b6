//! Git LFS pointers: files that a commit contains instead of large files.

use std::ops::RangeInclusive;

use crate::content_text::Diagnostic;

/// The length of a pointer, in bytes (Git LFS specification, version 1).
pub const LENGTHS: RangeInclusive<u64> = 60..=1023;

const FIRST_LINE: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// Returns whether a file with this content is a pointer.
pub fn is_one(bytes: &[u8]) -> bool {
    LENGTHS.contains(&(bytes.len() as u64)) && bytes.starts_with(FIRST_LINE)
}

/// Returns the diagnostic about the pointer at `path`.
pub fn diagnostic(path: &str) -> Diagnostic {
    Diagnostic::about_file(
        path,
        "the file is a pointer of Git LFS; its content is not in the repository",
        "take the file out of LFS (git lfs migrate export --include), or serve a working copy in which git lfs pull was run",
    )
}
