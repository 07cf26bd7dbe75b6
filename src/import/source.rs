//! The source of an import: its type is detected by content, not by name.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{archive::Archive, ghost::DocumentSource};
use crate::error::{Error, Kind, Result};

/// Bytes of a file that are read to detect its type.
const HEAD_BYTES: usize = 64 << 10;

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

/// An open file that can be read repeatedly from its start, even after it was unlinked.
#[derive(Clone)]
pub struct ImportFile {
    file: Arc<File>,
    bytes: u64,
    position: u64,
}

impl ImportSource {
    /// Detects the type of the file or folder at `path`.
    ///
    /// # Errors
    ///
    /// `NotFound` if it does not exist, `BadRequest` if it cannot be imported.
    pub fn at(path: &Path) -> Result<Self> {
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Error::not_found(path.display()),
            _ => Error::new(
                Kind::BadRequest,
                format!("{} cannot be read:", path.display()),
            )
            .context(format!("{error}.")),
        };
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let file = File::open(path).map_err(cannot)?;
        if !file.metadata().map_err(cannot)?.is_file() {
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
        let cannot = |error: io::Error| {
            Error::new(
                Kind::BadRequest,
                format!("{} cannot be read:", path.display()),
            )
            .context(format!("{error}."))
        };
        let file = ImportFile::new(file).map_err(cannot)?;
        let head = file.head().map_err(cannot)?;
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(b'{' | b'[') => Ok(Self::Export(file)),
            Some(b'P') if head.starts_with(b"PK") => {
                Ok(Self::Archive(Box::new(Archive::open(&file)?)))
            }
            _ if is_list(path, &head) => Ok(Self::Members(file)),
            Some(_) => Err(unusable(path, "cannot be imported")),
            None => Err(unusable(path, "is empty")),
        }
    }
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::new(Kind::BadRequest, format!("{} {reason}.", path.display())).help(
        "Name a Ghost export (JSON, or a zip that contains one), a list of members (CSV) or a folder of Markdown.",
    )
}

/// Returns whether a file is a list of members, by its extension or by an e-mail column in its first line.
fn is_list(path: &Path, head: &[u8]) -> bool {
    let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first_line = String::from_utf8_lossy(first_line).to_lowercase();
    let has_csv_extension = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    has_csv_extension || first_line.contains("email") || first_line.contains("e-mail")
}

impl ImportFile {
    /// Returns its length, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(Self {
            file: Arc::new(file),
            bytes,
            position: 0,
        })
    }

    /// Returns the first bytes, without a byte order mark.
    fn head(&self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        let mut file = self.clone();
        file.position = 0;
        file.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(match head.strip_prefix(b"\xEF\xBB\xBF") {
            Some(text) => text.to_vec(),
            None => head,
        })
    }
}

impl Read for ImportFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(out, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for ImportFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
            SeekFrom::End(distance) => self.bytes.checked_add_signed(distance),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl DocumentSource for ImportFile {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn with_content(&self, read: &mut dyn FnMut(&mut dyn Read) -> Result<()>) -> Result<()> {
        let mut file = Self {
            position: 0,
            ..self.clone()
        };
        read(&mut file)
    }
}
