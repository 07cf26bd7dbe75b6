//! Derives the name of a copied file from its URL and content.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use percent_encoding::percent_decode_str;
use url::Url;

use crate::{
    images::{FILE_BYTES_MAX, Format, ImageKind},
    uploads::accepted::{FILE_HEAD_BYTES, MediaKind},
};

/// The name under which a file is stored.
pub(super) struct MediaName {
    /// The name, with an extension.
    pub(super) name: String,
    /// The media type; empty for a file of any other kind.
    pub(super) media_type: &'static str,
    /// The folder of uploads that it is stored in.
    pub(super) folder: MediaFolder,
}

/// The folder of uploads for a file.
#[derive(Clone, Copy)]
pub(super) enum MediaFolder {
    Images,
    Media,
    Files,
}

/// Returns the name of a file: the name in its URL, with the extension of its detected type.
pub(super) fn name_of(url: &str, media_type: &str, file: &Path) -> Result<MediaName, String> {
    let head = head_of(file).map_err(|error| error.to_string())?;
    let path = Url::parse(url)
        .map(|url| url.path().to_owned())
        .unwrap_or_default();
    let path = percent_decode_str(&path).decode_utf8_lossy();
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let (stem, extension) = last.rsplit_once('.').unwrap_or((last, ""));
    let stem = if stem.is_empty() { "media" } else { stem };
    let named = |extension: &str, media_type, folder| MediaName {
        name: format!("{stem}.{extension}"),
        media_type,
        folder,
    };
    // The content decides before the media type and the extension, which the other server chose.
    if let Some((extension, of_image)) = image(&head, media_type, extension) {
        let bytes = fs::metadata(file).map_err(|error| error.to_string())?.len();
        return if bytes > FILE_BYTES_MAX {
            Err(format!(
                "images must not exceed {} MB",
                FILE_BYTES_MAX >> 20
            ))
        } else {
            Ok(named(extension, of_image, MediaFolder::Images))
        };
    }
    // A declared type counts only if the content can be of that type: the file is served under it.
    let of_type = MediaKind::of_type(media_type).or_else(|| MediaKind::of_name(last));
    if let Some(media) = of_type.filter(|media| (media.matches)(&head)) {
        return Ok(named(
            media.extension,
            media.media_types[0],
            MediaFolder::Media,
        ));
    }
    match extension.to_ascii_lowercase().as_str() {
        // Many servers respond to requests for missing files with a page and status 200.
        _ if media_type == "text/html" => Err("the server returned an HTML page".to_owned()),
        "heic" | "heif" | "avif" | "tif" | "tiff" => {
            Err("uploads of this kind of image are refused: convert it to .jpg or .webp".to_owned())
        }
        "" => Err(format!("its type is unknown: {media_type}")),
        extension => Ok(named(extension, "", MediaFolder::Files)),
    }
}

/// Returns the extension and the media type of an image.
fn image(head: &[u8], media_type: &str, extension: &str) -> Option<(&'static str, &'static str)> {
    match ImageKind::of_content(head) {
        Some(ImageKind::Raster(Format::Jpeg)) => Some(("jpg", "image/jpeg")),
        Some(ImageKind::Raster(Format::Png)) => Some(("png", "image/png")),
        Some(ImageKind::Raster(Format::Gif)) => Some(("gif", "image/gif")),
        Some(ImageKind::Raster(Format::Webp)) => Some(("webp", "image/webp")),
        Some(ImageKind::Ico) => Some(("ico", "image/x-icon")),
        _ if media_type == "image/svg+xml" || extension.eq_ignore_ascii_case("svg") => {
            Some(("svg", "image/svg+xml"))
        }
        _ => None,
    }
}

fn head_of(file: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(file)?
        .take(FILE_HEAD_BYTES)
        .read_to_end(&mut head)?;
    Ok(head)
}
