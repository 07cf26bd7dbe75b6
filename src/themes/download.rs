//! Archives of themes. Equal files result in equal archives.

use std::{
    fs::File,
    io::{self, Read, Seek},
};

use super::{Theme, ThemeFile};
use crate::{
    archive::ArchiveWriter,
    error::{Error, Result},
    themes::limits::BYTES_MAX,
};

impl Theme {
    /// Writes the theme to `file` as a zip archive; returns the length of the archive in bytes.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or the archive cannot be written.
    pub fn write_zip(&self, file: &mut File) -> Result<u64> {
        self.write_archive(file).map_err(Error::internal)
    }

    pub(super) fn write_archive(&self, file: &mut File) -> io::Result<u64> {
        let mut archive = ArchiveWriter::new(file);
        for path in self.paths() {
            match self.open(&path) {
                Some(ThemeFile::BuiltIn(text)) => archive.add(&path, text.as_bytes())?,
                Some(ThemeFile::Open(content)) => archive.add(&path, content.take(BYTES_MAX))?,
                // The theme is being replaced at the same time.
                None => {}
            }
        }
        archive.finish()?;
        let length = file.metadata()?.len();
        // Callers read the archive from its start.
        file.rewind()?;
        Ok(length)
    }
}
