//! The folders that an export copies files from.

use std::path::Path;

use crate::uploads::Uploads;

/// The folders of a site.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    /// Its content folder, if it has one.
    pub content: Option<&'a Path>,
    /// The storage of its uploads.
    pub uploads: &'a Uploads,
}
