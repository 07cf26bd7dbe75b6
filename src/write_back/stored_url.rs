//! URLs of uploads in the content folder.

use crate::content_files::{public_files::public_path, symbol_table::stored};

/// Returns the stored form of the URL of an upload in the content folder.
pub(super) fn stored_url(upload: &str) -> String {
    stored(&format!("/content/{}", public_path(upload)), "")
}
