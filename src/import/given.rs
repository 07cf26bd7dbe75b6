//! What is given to an import, recognised by its content rather than by its name.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{archive::Archive, ghost::Source};
use crate::error::{Error, Kind, Result};

/// How much of a file is looked at to see what it is, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// What is given.
pub enum Given {
    /// An export of Ghost, as JSON.
    Export(GivenFile),
    /// An archive with an export or pictures in it.
    Archive(Box<Archive>),
    /// A list of members, as CSV.
    Members(GivenFile),
    /// A folder of Markdown.
    Folder(PathBuf),
}

/// A file that can be read from its start again and again, also when its name is gone.
#[derive(Clone)]
pub struct GivenFile {
    file: Arc<File>,
    bytes: u64,
    position: u64,
}

impl Given {
    /// Looks at what lies at `path`.
    ///
    /// # Errors
    ///
    /// `NotFound` when there is nothing, `BadRequest` when it is nothing that can be imported.
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

    /// Looks at what is in an open file, which is reported as `path`.
    ///
    /// # Errors
    ///
    /// `BadRequest` when it is nothing that can be imported.
    pub fn in_file(file: File, path: &Path) -> Result<Self> {
        let cannot = |error: io::Error| {
            Error::new(
                Kind::BadRequest,
                format!("{} cannot be read:", path.display()),
            )
            .context(format!("{error}."))
        };
        let file = GivenFile::new(file).map_err(cannot)?;
        let head = file.head().map_err(cannot)?;
        let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            Some(b'{' | b'[') => Ok(Self::Export(file)),
            Some(b'P') if head.starts_with(b"PK") => {
                Ok(Self::Archive(Box::new(Archive::open(&file)?)))
            }
            _ if is_list(path, &head) => Ok(Self::Members(file)),
            Some(_) => Err(unusable(path, "is nothing that can be imported")),
            None => Err(unusable(path, "is empty")),
        }
    }
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::new(Kind::BadRequest, format!("{} {reason}.", path.display())).help(
        "Name an export of Ghost (JSON, or a zip with one), a list of members (CSV) or a folder of Markdown.",
    )
}

/// Whether a file is a list of members, by its name or by a first line that names a column of addresses.
fn is_list(path: &Path, head: &[u8]) -> bool {
    let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first_line = String::from_utf8_lossy(first_line).to_lowercase();
    let is_called_csv = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    is_called_csv || first_line.contains("email") || first_line.contains("e-mail")
}

impl GivenFile {
    /// Its length, in bytes.
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

    /// The first bytes, without the mark that some programs put in front of text.
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

impl Read for GivenFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(out, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for GivenFile {
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

impl Source for GivenFile {
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
