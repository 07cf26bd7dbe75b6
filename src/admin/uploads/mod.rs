//! Uploads of staff and integrations: images, media and other files, stored by month.
//!
//! A file is written under a temporary name and renamed once all of it is on disk; names are made
//! safe and never used twice, also with concurrent uploads. The type of a file is detected from its
//! content; its name and declared type must not contradict it. *Nothing is replaced but the
//! thumbnail of a video.*

pub mod files;
mod folders;
pub mod images;
pub mod media;
mod names;

pub use folders::Folders;

use crate::{
    error::{Error, Kind},
    images::ImageError,
    site::Site,
};

/// The name and type that a client declares for a file.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredUpload<'a> {
    /// Its name; untrusted.
    pub name: &'a str,
    /// Its media type, such as `image/png`; untrusted.
    pub kind: &'a str,
}

/// Returns the folder of this month below one for a kind of files, by the site's time:
/// `images/2026/11`.
fn folder_of_month(site: &Site, kind: &str) -> String {
    let settings = &site.current().catalog.settings;
    let now = site.now().to_zoned(settings.time_zone());
    format!("{kind}/{}", now.strftime("%Y/%m"))
}

/// Returns the error for a rejected image.
fn refused(error: ImageError) -> Error {
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

/// Returns the error for a file of an unaccepted type, or of another type than declared.
fn wrong_kind(declared: DeclaredUpload, what: &str) -> Error {
    Error::new(
        Kind::UnsupportedMediaType,
        format!("\"{}\" is not {what}.", declared.name),
    )
    .context(format!("It was sent as \"{}\".", declared.kind))
}
