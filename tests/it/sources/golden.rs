//! Comparisons with golden files; `GALLEY_UPDATE_GOLDEN=1` regenerates them.

use std::path::{Path, PathBuf};

/// Returns the absolute path of `path` in the crate's folder.
pub fn in_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Asserts that `actual` equals the file at `path`, which is written first if `GALLEY_UPDATE_GOLDEN` is set.
pub fn assert_golden(path: &str, actual: &str) {
    let file = in_crate(path);
    if std::env::var_os("GALLEY_UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        actual, expected,
        "{path} differs; run with GALLEY_UPDATE_GOLDEN=1 to accept the changes"
    );
}
