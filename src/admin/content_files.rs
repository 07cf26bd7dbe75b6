//! Records of content files that are not written back. They change with their file only, so that no edit in an editor is
//! silently overwritten.

use crate::{domain::SourceFile, error::Result, site::record_of_file};

/// Refuses to change a record of a content file; `noun` describes it, such as `tag "essays"`.
///
/// # Errors
///
/// `Validation`, naming the file.
pub fn refuse(noun: &str, source: &SourceFile) -> Result<()> {
    match source {
        Some(file) => Err(record_of_file(noun, file)),
        None => Ok(()),
    }
}
