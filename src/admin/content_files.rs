//! What comes from content files: it changes with its file only, so that nothing that somebody types here is overwritten
//! silently (design, section 4).

use crate::{
    domain::SourceFile,
    error::{Error, Kind, Result},
};

/// Refuses to change a record that a content file makes; `noun` is what it is, such as `tag "letters"`.
///
/// # Errors
///
/// `Validation`, naming the file.
pub fn refuse(noun: &str, source: &SourceFile) -> Result<()> {
    match source {
        Some(file) => Err(Error::new(
            Kind::Validation,
            format!("The {noun} comes from a content file and changes with it only."),
        )
        .context(format!("The file is {file}."))
        .help("Edit that file; what is saved there shows here at once.")),
        None => Ok(()),
    }
}
