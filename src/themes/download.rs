//! Writes a theme as an archive: the same files make the same bytes.

use std::{
    fs::File,
    io::{self, BufWriter, Read, Seek, Write},
};

use zip::{CompressionMethod, DateTime, ZipWriter, write::SimpleFileOptions};

use super::{BYTES_MAX, Theme, ThemeFile};
use crate::error::{Error, Result};

impl Theme {
    /// Writes the theme into `file` as an archive (zip); returns its length in bytes.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or the archive cannot be written.
    pub fn pack(&self, file: &mut File) -> Result<u64> {
        self.write_archive(file).map_err(Error::internal)
    }

    fn write_archive(&self, file: &mut File) -> io::Result<u64> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            // The time of extraction says nothing about a file, and would change the archive's
            // bytes.
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644);
        let mut archive = ZipWriter::new(BufWriter::new(&mut *file));
        for path in self.paths() {
            match self.open(&path) {
                Some(ThemeFile::BuiltIn(text)) => {
                    archive.start_file(path, options)?;
                    archive.write_all(text.as_bytes())?;
                }
                Some(ThemeFile::Open(content)) => {
                    archive.start_file(path, options)?;
                    io::copy(&mut content.take(BYTES_MAX), &mut archive)?;
                }
                // The theme is being replaced.
                None => {}
            }
        }
        archive.finish()?.flush()?;
        let length = file.metadata()?.len();
        file.rewind()?;
        Ok(length)
    }
}
