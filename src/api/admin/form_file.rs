//! The one file of a form, on disk: what is uploaded need not be in memory twice.

use std::{
    fs::File,
    io::{BufWriter, Read, Seek, Write},
};

use super::Request;
use crate::{
    api::multipart::{self, FileHead},
    error::{Error, Kind, Result},
    nameless_file,
};

/// The file in the part `field` of the body, from its start.
///
/// # Errors
///
/// `Validation` when there is none; `BadRequest` as [`multipart::read`].
pub fn read(request: &Request, field: &str) -> Result<(FileHead, File)> {
    let data = &request.options().files.data;
    let mut file = nameless_file::create(data).map_err(Error::internal)?;
    let mut out = BufWriter::new(&file);
    let form = multipart::read(request.head, request.body, field, &mut out)?;
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

/// The same for a text, of which no more than `bytes_max` and one byte is read: whoever takes it refuses what is longer.
///
/// # Errors
///
/// As [`read`], and `UnsupportedMediaType` when the file's name ends in none of `endings`.
pub fn read_text(
    request: &Request,
    field: &str,
    endings: &'static [&'static str],
    bytes_max: usize,
) -> Result<(&'static str, Vec<u8>)> {
    let (head, file) = read(request, field)?;
    let ending = head.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = endings
        .iter()
        .find(|known| known.eq_ignore_ascii_case(ending));
    let known = known.ok_or_else(|| {
        Error::new(
            Kind::UnsupportedMediaType,
            format!("The name of this file ends in .{}.", endings.join(" or .")),
        )
    })?;
    let mut content = Vec::new();
    file.take(bytes_max as u64 + 1)
        .read_to_end(&mut content)
        .map_err(Error::internal)?;
    Ok((known, content))
}
