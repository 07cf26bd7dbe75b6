//! Uploads of files other than images and media, such as documents and archives.

use std::{fs::File, io::Read, path::Path};

use super::{DeclaredUpload, Folders, names::FileName};
use crate::{
    admin::uploads::{declared_upload::wrong_kind, month_folder::folder_of_month},
    atomic_file::AtomicFile,
    error::{Error, Result},
    site::Site,
    uploads::accepted::{FILE_HEAD_BYTES, can_be},
};

/// Stores a file; returns its path among the uploads, such as `files/2026/11/timetable.pdf`.
///
/// # Errors
///
/// `UnsupportedMediaType` if its name has no extension (Ghost 6.65, observed), or an extension that
/// contradicts its content.
pub fn upload(
    site: &Site,
    folders: Folders,
    declared: DeclaredUpload,
    file: &AtomicFile,
) -> Result<String> {
    let mut head = Vec::new();
    File::open(file.path())
        .and_then(|file| file.take(FILE_HEAD_BYTES).read_to_end(&mut head))
        .map_err(Error::internal)?;
    if Path::new(declared.name).extension().is_none() {
        return Err(wrong_kind(
            declared,
            "a name with the extension of its type",
        ));
    }
    if !can_be(declared.name, &head) {
        return Err(wrong_kind(declared, "of the type that its name indicates"));
    }
    let folder = folder_of_month(site, "files");
    let name = folders.store(&folder, &FileName::safe(declared.name), file, None)?;
    Ok(format!("{folder}/{}", name.with("")))
}
