//! The source of an import, whose type is detected by content, not by name.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use super::{archive::Archive, import_file::ImportFile};
use crate::error::{Error, Kind, Result};

/// A file or folder to import.
pub enum ImportSource {
    /// A Ghost export, as JSON.
    Export(ImportFile),
    /// A zip archive with an export, images or lists of members.
    Archive(Box<Archive>),
    /// A list of members, as CSV.
    Members(ImportFile),
    /// A folder of Markdown.
    Folder(PathBuf),
}

impl ImportSource {
    /// Detects the type of the file or folder at `path`.
    ///
    /// # Errors
    ///
    /// `NotFound` if it does not exist, `BadRequest` if it cannot be imported.
    pub fn at(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::not_found(path.display()),
            _ => unreadable(path, &error),
        })?;
        let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            return Err(unusable(path, "is neither a file nor a folder"));
        }
        Self::in_file(file, path)
    }

    /// Detects the type of an open file. Errors name it `path`.
    ///
    /// # Errors
    ///
    /// `BadRequest` if it cannot be imported.
    pub fn in_file(file: File, path: &Path) -> Result<Self> {
        let file = ImportFile::new(file).map_err(|error| unreadable(path, &error))?;
        let head = file.head().map_err(|error| unreadable(path, &error))?;
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            // A list is not an export, but reading it as one gives an error that says so.
            Some(b'{' | b'[') => Ok(Self::Export(file)),
            Some(b'P') if head.starts_with(b"PK") => {
                Ok(Self::Archive(Box::new(Archive::open(&file)?)))
            }
            _ if is_member_list(path, &head) => Ok(Self::Members(file)),
            Some(_) => Err(unusable(path, "cannot be imported")),
            None => Err(unusable(path, "is empty")),
        }
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let message = format!("{} cannot be read:", path.display());
    Error::new(Kind::BadRequest, message).context(format!("{error}."))
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::new(Kind::BadRequest, format!("{} {reason}.", path.display())).help(
        "Name a Ghost export (JSON, or a zip that contains one), a list of members (CSV) or a folder of Markdown.",
    )
}

/// Returns whether a file is a list of members, by its extension or by an e-mail column in its first line.
fn is_member_list(path: &Path, head: &[u8]) -> bool {
    let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first_line = String::from_utf8_lossy(first_line).to_lowercase();
    let has_csv_extension = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    has_csv_extension || first_line.contains("email") || first_line.contains("e-mail")
}
