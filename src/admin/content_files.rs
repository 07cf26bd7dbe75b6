//! Records of content files. They change with their file only, so that no edit in an editor is
//! silently overwritten (design, section 4).

use crate::{
    domain::SourceFile,
    error::{Error, Kind, Result},
};

/// Refuses to change a record of a content file; `noun` describes it, such as `tag "essays"`.
///
/// # Errors
///
/// `Validation`, naming the file.
pub fn refuse(noun: &str, source: &SourceFile) -> Result<()> {
    match source {
        Some(file) => Err(Error::new(
            Kind::Validation,
            format!("The {noun} comes from a content file and can be changed only there."),
        )
        .context(format!("The file is {file}."))
        .help("Edit that file; changes are applied at once.")),
        None => Ok(()),
    }
}
