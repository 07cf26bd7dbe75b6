//! Checks imported files for reasons to refuse them as uploads, and for formats that browsers cannot show.
//!
//! Such a file is imported nevertheless and named in the report, because posts refer to it and the source may no longer
//! exist.

use std::io::{self, Read};

use crate::{
    images::{FILE_BYTES_MAX, Header, ImageKind, Memory, svg},
    uploads::accepted::{FILE_HEAD_BYTES, MEDIA_HEAD_BYTES, MediaKind, can_be},
};

/// Extensions of images that browsers do not show.
const NOT_SHOWN: [&str; 14] = [
    "heic", "heif", "hif", "tif", "tiff", "jxl", "jp2", "psd", "raw", "dng", "cr2", "nef", "arw",
    "eps",
];

/// Brands in the first box of an HEIC image.
const HEIC_BRANDS: [&[u8]; 8] = [
    b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1",
];

/// Memory limit for the check of an SVG image, in bytes.
const SVG_MEMORY_BYTES: u64 = 512 << 20;

const CANNOT_BE_SHOWN: &str = "browsers cannot show it: convert it to .jpg or .webp";

/// Returns the reason to refuse an upload of the file at `path`, such as `images/2024/01/ferry.jpg`; `None` if it would
/// be accepted. `bytes` is the length of the file.
///
/// # Errors
///
/// If the file cannot be read.
pub fn refusal(path: &str, bytes: u64, content: &mut dyn Read) -> io::Result<Option<String>> {
    let kind = path.split('/').next().unwrap_or_default();
    match (kind, ImageKind::of_name(path)) {
        ("images", None) => of_other_image(path, content),
        ("images", Some(kind)) => of_image(kind, bytes, content),
        // Thumbnails of videos are stored next to the videos.
        ("media", Some(kind)) => of_image(kind, bytes, content),
        ("media", None) => of_media(path, content),
        _ => {
            let is_fit = can_be(path, &head(content, FILE_HEAD_BYTES)?);
            Ok((!is_fit).then(|| "its content does not match its extension".to_owned()))
        }
    }
}

/// Returns the reason to refuse a file in the folder of images whose extension is not that of an accepted image.
fn of_other_image(path: &str, content: &mut dyn Read) -> io::Result<Option<String>> {
    let extension = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let is_heic = is_heic(&head(content, MEDIA_HEAD_BYTES)?);
    Ok(Some(if is_heic || NOT_SHOWN.contains(&&*extension) {
        CANNOT_BE_SHOWN.to_owned()
    } else {
        "an upload of this kind of image is refused: convert it to .jpg, .png, .gif, .svg, .ico or .webp"
            .to_owned()
    }))
}

fn of_image(kind: ImageKind, bytes: u64, content: &mut dyn Read) -> io::Result<Option<String>> {
    if bytes > FILE_BYTES_MAX {
        let max = FILE_BYTES_MAX >> 20;
        return Ok(Some(format!("an image has at most {max} MB")));
    }
    let mut image = Vec::new();
    content.take(FILE_BYTES_MAX).read_to_end(&mut image)?;
    if is_heic(&image) {
        return Ok(Some(format!("it is an HEIC image, and {CANNOT_BE_SHOWN}")));
    }
    let memory = Memory::new(SVG_MEMORY_BYTES);
    let checked = match kind {
        ImageKind::Svg => svg::clean(|| Ok(&*image), &memory).map(|_| true),
        ImageKind::CompressedSvg => svg::clean_compressed(|| Ok(&*image), &memory).map(|_| true),
        ImageKind::Ico => Header::read(&image).map(|header| header.kind == ImageKind::Ico),
        ImageKind::Raster(format) => Header::read(&image).map(|header| header.can_be(format)),
    };
    Ok(match checked {
        Ok(true) => None,
        Ok(false) => Some("its content does not match its extension".to_owned()),
        Err(error) => Some(error.to_string().trim_end_matches('.').to_lowercase()),
    })
}

fn of_media(path: &str, content: &mut dyn Read) -> io::Result<Option<String>> {
    let Some(kind) = MediaKind::of_name(path) else {
        let refused = "an upload of this kind is refused: convert it to .mp4, .webm, .ogv, .mp3, .wav, .ogg or .m4a";
        return Ok(Some(refused.to_owned()));
    };
    let is_match = (kind.matches)(&head(content, MEDIA_HEAD_BYTES)?);
    Ok((!is_match).then(|| "its content does not match its extension".to_owned()))
}

/// Reads the first `bytes_max` bytes.
fn head(content: &mut dyn Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    content.take(bytes_max).read_to_end(&mut head)?;
    Ok(head)
}

fn is_heic(head: &[u8]) -> bool {
    let brand = head.get(8..12).unwrap_or_default();
    head.get(4..8) == Some(b"ftyp") && HEIC_BRANDS.contains(&brand)
}
