//! Files that staff and integrations send: pictures, media and others, kept below the data folder by the month.
//!
//! A file is written beside its place first and gets it when all of it is on disk; names are made safe and never taken
//! twice, also when many send at once. What a file is, is seen in its content; its name and what it was declared as must
//! not say otherwise. *Nothing is replaced but the picture that stands for a film.*

pub mod files;
pub mod images;
pub mod media;
mod names;
mod places;

pub use places::Folders;

use crate::{
    error::{Error, Kind},
    images::ImageError,
    site::Site,
};

/// What is said of a file by who sends it.
#[derive(Debug, Clone, Copy)]
pub struct Declared<'a> {
    /// Its name; it may hold anything.
    pub name: &'a str,
    /// Its media type, such as `image/png`; it may hold anything.
    pub kind: &'a str,
}

/// The folder of this month below one for a kind of files, by the site's time: `images/2026/11`.
fn folder_of_month(site: &Site, kind: &str) -> String {
    let settings = &site.current().catalog.settings;
    let now = site.now().to_zoned(settings.time_zone());
    format!("{kind}/{}", now.strftime("%Y/%m"))
}

/// What somebody is told whose picture is not taken.
fn refused(error: ImageError) -> Error {
    let kind = match &error {
        ImageError::Unreadable(_) => Kind::BadRequest,
        ImageError::TooLarge(_) | ImageError::NeedsMemory { .. } => Kind::Validation,
        ImageError::Busy => Kind::Maintenance,
        ImageError::File(_) => return Error::internal(error),
    };
    let refusal = Error::new(kind, error.to_string());
    match error {
        ImageError::NeedsMemory { .. } => {
            refusal.help("The operator may allow more: images.memory_mb.")
        }
        ImageError::Busy => refusal.help("Try again in a moment."),
        _ => refusal,
    }
}

/// What somebody is told whose file is of another kind than is taken, or than it says.
fn wrong_kind(declared: Declared, what: &str) -> Error {
    Error::new(
        Kind::UnsupportedMediaType,
        format!("\"{}\" is not {what}.", declared.name),
    )
    .context(format!("It was sent as \"{}\".", declared.kind))
}
