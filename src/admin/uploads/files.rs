//! Uploads of other files: documents, archives and more.

use std::{fs::File, io::Read, path::Path};

use super::{DeclaredUpload, Folders, folder_of_month, names::FileName, wrong_kind};
use crate::{
    atomic_file::AtomicFile,
    error::{Error, Result},
    images::ImageKind,
    site::Site,
};

/// Bytes that identify the type of a file.
const HEAD_BYTES: u64 = 1024;

/// Extensions of files that are zip archives.
const ARCHIVES: [&str; 9] = [
    "zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "jar",
];

/// Stores a file; returns its path among the uploads, such as `files/2026/11/timetable.pdf`.
///
/// # Errors
///
/// `UnsupportedMediaType` if its name has no extension (Ghost 6.65, observed), or one that its
/// content contradicts.
pub fn upload(
    site: &Site,
    folders: Folders,
    declared: DeclaredUpload,
    file: &AtomicFile,
) -> Result<String> {
    let mut head = Vec::new();
    File::open(file.path())
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .map_err(Error::internal)?;
    if Path::new(declared.name).extension().is_none() {
        return Err(wrong_kind(declared, "a name that says what the file is"));
    }
    if !can_be(declared.name, &head) {
        return Err(wrong_kind(declared, "of the kind that its name says"));
    }
    let folder = folder_of_month(site, "files");
    let name = folders.keep(&folder, &FileName::safe(declared.name), file, None)?;
    Ok(format!("{folder}/{}", name.with("")))
}

/// Returns whether a file of this name may begin like this. Most types cannot be checked.
fn can_be(name: &str, head: &[u8]) -> bool {
    let extension = Path::new(name).extension().and_then(|part| part.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    match (extension.as_str(), ImageKind::of_name(name)) {
        // PDF readers accept the mark anywhere in the first bytes.
        ("pdf", _) => memchr::memmem::find(head, b"%PDF-").is_some(),
        (_, Some(ImageKind::CompressedSvg)) => head.starts_with(&[0x1F, 0x8B]),
        (_, Some(ImageKind::Svg)) | (_, None) if !ARCHIVES.contains(&extension.as_str()) => true,
        (_, None) => head.starts_with(b"PK"),
        (_, Some(kind)) => ImageKind::of_content(head) == Some(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_contradict_the_content_are_detected() {
        assert!(can_be("a.PDF", b"%PDF-1.7") && !can_be("a.pdf", b"<html>"));
        assert!(can_be("a.docx", b"PK\x03\x04") && !can_be("a.docx", b"words"));
        assert!(can_be("a.png", b"\x89PNG\r\n\x1a\n") && !can_be("a.png", b"GIF89a"));
        for name in ["a.txt", "a.csv", "a", "a.svg", "a.unheard-of"] {
            assert!(can_be(name, b"whatever"), "{name}");
        }
    }
}
