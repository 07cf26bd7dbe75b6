//! What comes from a content file changes with its file only, so that nothing that somebody types is silently overwritten.

use crate::{
    domain::SourceFile,
    error::{Error, Kind, Result},
};

/// Refuses to change a record that comes from a content file; `noun` is what it is called.
///
/// # Errors
///
/// `Validation` naming the file.
pub fn refuse(noun: &str, source: &SourceFile) -> Result<()> {
    match source {
        None => Ok(()),
        Some(path) => Err(Error::new(
            Kind::Validation,
            format!("This {noun} comes from the content file {path} and changes with it."),
        )
        .help(format!("Edit {path} in the content folder instead."))),
    }
}
