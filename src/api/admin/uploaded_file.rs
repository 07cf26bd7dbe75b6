//! The single uploaded file of a form. It is written to disk, so that it is not in memory twice.

use std::{
    fs::File,
    io::{BufWriter, Read, Seek, Write},
};

use super::Request;
use crate::{
    api::multipart::{self, FileHead},
    atomic_file,
    error::{Error, Kind, Result},
};

/// Writes the file in the part `field` of the body to disk and returns it, rewound.
///
/// # Errors
///
/// `Validation` if there is no file; `BadRequest` as [`multipart::read`].
pub fn read(request: &Request, field: &str) -> Result<(FileHead, File)> {
    let data = &request.options().files.data;
    let mut file = atomic_file::unnamed(data).map_err(Error::internal)?;
    let mut out = BufWriter::new(&file);
    let form = multipart::read(request.head, request.body, field, &mut out)?;
    // Dropping the writer would also flush it, but ignore the error.
    out.flush().map_err(Error::internal)?;
    drop(out);
    file.rewind().map_err(Error::internal)?;
    let head = form.file.ok_or_else(|| {
        Error::new(
            Kind::Validation,
            format!("There is no file in the part \"{field}\" of the body."),
        )
    })?;
    Ok((head, file))
}

/// Reads the contents of the file, and returns them with the extension. At most `bytes_max` + 1 bytes
/// are read, so that the caller can recognise and reject a longer file.
///
/// # Errors
///
/// As [`read`], and `UnsupportedMediaType` if the file's extension is not among `extensions`.
pub fn read_text(
    request: &Request,
    field: &str,
    extensions: &'static [&'static str],
    bytes_max: usize,
) -> Result<(&'static str, Vec<u8>)> {
    let (head, file) = read(request, field)?;
    let extension = head
        .name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    let known = extensions
        .iter()
        .find(|known| known.eq_ignore_ascii_case(extension));
    let known = known.ok_or_else(|| {
        Error::new(
            Kind::UnsupportedMediaType,
            format!(
                "The name of this file must end in .{}.",
                extensions.join(" or .")
            ),
        )
    })?;
    let mut content = Vec::new();
    file.take(bytes_max as u64 + 1)
        .read_to_end(&mut content)
        .map_err(Error::internal)?;
    Ok((known, content))
}
