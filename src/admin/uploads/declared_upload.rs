//! An upload as declared by the client, and the errors for rejected uploads.

use crate::{
    error::{Error, Kind},
    images::ImageError,
};

/// The name and type that a client declares for a file.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredUpload<'a> {
    /// The name of the file; untrusted.
    pub name: &'a str,
    /// The media type, such as `image/png`; untrusted.
    pub kind: &'a str,
}

/// Returns the error for a rejected image.
pub(super) fn refused(error: ImageError) -> Error {
    let kind = match &error {
        ImageError::Unreadable(_) => Kind::BadRequest,
        ImageError::TooLarge(_) | ImageError::NeedsMemory { .. } => Kind::Validation,
        ImageError::Busy | ImageError::Changing => Kind::Maintenance,
        ImageError::File(_) => return Error::internal(error),
    };
    let refusal = Error::new(kind, error.to_string());
    match error {
        ImageError::NeedsMemory { .. } => {
            refusal.help("The operator may allow more: images.memory_mb.")
        }
        ImageError::Busy | ImageError::Changing => refusal.help("Try again in a moment."),
        _ => refusal,
    }
}

/// Returns the error for a file that does not have an accepted type or its declared type: it is not
/// `expected`.
pub(super) fn wrong_kind(declared: DeclaredUpload, expected: &str) -> Error {
    Error::new(
        Kind::UnsupportedMediaType,
        format!("\"{}\" is not {expected}.", declared.name),
    )
    .context(format!("It was sent as \"{}\".", declared.kind))
}
