//! Uploads of images.
//!
//! A raster image is re-encoded: at most 2000 pixels wide, upright, and without camera metadata.
//! This version is served; the original is stored next to it as `NAME_o` (Ghost 6.65, recorded).

use super::{DeclaredUpload, Folders, folders::Companion, names::FileName};
use crate::{
    admin::uploads::{
        declared_upload::{refused, wrong_kind},
        month_folder::folder_of_month,
    },
    error::{Error, Kind, Result},
    images::{
        FILE_BYTES_MAX, Format, Header, ImageError, ImageKind, ImageSize, Memory, check,
        memory_bytes, reencode, svg, without_metadata, without_trailing_bytes,
    },
    site::Site,
};

/// Width above which a raster image is scaled down, in pixels (Ghost 6.65, recorded).
const WIDTH_MAX: u32 = 2000;

/// Shortest side of a site's icon, in pixels (Ghost 6.65, recorded).
const ICON_SIDE_MIN: u32 = 60;

/// Accepted media types of images (Ghost 6.65, recorded).
const MEDIA_TYPES: [&str; 7] = [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/svg+xml",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "image/webp",
];

/// The purpose of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An image in a post.
    Image,
    /// The profile image of a person; it must be square.
    ProfileImage,
    /// The site's icon; it must have at least 60 pixels on each side.
    Icon,
}

impl Purpose {
    /// Returns the purpose with this wire name.
    ///
    /// # Errors
    ///
    /// `Validation` for any other name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "image" => Ok(Self::Image),
            "profile_image" => Ok(Self::ProfileImage),
            "icon" => Ok(Self::Icon),
            other => Err(Error::new(
                Kind::Validation,
                format!(
                    "The purpose of an image must be image, profile_image or icon, not \"{other}\"."
                ),
            )
            .property("purpose")),
        }
    }
}

/// The stored versions of an image.
pub(super) struct ProcessedImage {
    /// The served version.
    pub served: Vec<u8>,
    /// True if the original is also stored.
    pub keeps_original: bool,
}

/// Stores an image; returns its path among the uploads, such as `images/2026/11/ferry.jpg`.
///
/// # Errors
///
/// `UnsupportedMediaType` if it is not an image or not of the declared type, `BadRequest` if
/// it cannot be read, `Validation` if it is too large or unfit for its purpose, `Maintenance` if
/// too many are being processed.
pub fn upload(
    site: &Site,
    folders: Folders,
    memory: &Memory,
    declared: DeclaredUpload,
    content: &[u8],
    purpose: Purpose,
) -> Result<String> {
    let prepared = prepare(memory, declared, content, purpose)?;
    // Bytes after the end of an image can be another file, which would be served with it.
    let original = without_trailing_bytes(content);
    let folder = folder_of_month(site, "images");
    let written = |content| {
        folders
            .uploads
            .incoming_with(content)
            .map_err(Error::internal)
    };
    let served = written(&prepared.served)?;
    // If the original equals the served version, one file is stored under both names.
    let original = if prepared.keeps_original && prepared.served != original {
        Some(written(original)?)
    } else {
        None
    };
    let companion = prepared.keeps_original.then(|| Companion {
        file: original.as_ref().unwrap_or(&served),
        name: &|name| name.with("_o"),
    });
    let name = folders.store(&folder, &FileName::safe(declared.name), &served, companion)?;
    Ok(format!("{folder}/{}", name.with("")))
}

/// Checks an image, and creates its served version.
pub(super) fn prepare(
    memory: &Memory,
    declared: DeclaredUpload,
    content: &[u8],
    purpose: Purpose,
) -> Result<ProcessedImage> {
    const IMAGE: &str = "an image: .jpg, .jpeg, .gif, .png, .svg, .svgz, .ico or .webp";
    let kind = ImageKind::of_name(declared.name)
        .filter(|_| MEDIA_TYPES.contains(&declared.kind))
        .ok_or_else(|| wrong_kind(declared, IMAGE))?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(Error::new(
            Kind::RequestEntityTooLarge,
            format!("An image must not exceed {} MB.", FILE_BYTES_MAX >> 20),
        ));
    }
    let svg_error = |error: ImageError| match error {
        ImageError::Unreadable(why) => {
            wrong_kind(declared, "an SVG image").context(format!("{why}."))
        }
        other => refused(other),
    };
    let svg_upload = |served| ProcessedImage {
        served,
        keeps_original: false,
    };
    match kind {
        ImageKind::Svg => svg::clean(|| Ok(content), memory)
            .map(svg_upload)
            .map_err(svg_error),
        ImageKind::CompressedSvg => svg::clean_compressed(|| Ok(content), memory)
            .map(svg_upload)
            .map_err(svg_error),
        ImageKind::Ico => {
            let header = Header::read(content).map_err(refused)?;
            if header.kind != ImageKind::Ico {
                return Err(wrong_kind(declared, "a Windows icon"));
            }
            check_purpose(&header, purpose)?;
            Ok(svg_upload(without_trailing_bytes(content).to_vec()))
        }
        ImageKind::Raster(format) => {
            let header = Header::read(content).map_err(refused)?;
            if !header.can_be(format) {
                return Err(wrong_kind(declared, "of the type that its name indicates"));
            }
            check_purpose(&header, purpose)?;
            // Reserved only now: the purpose was checked by the header alone.
            let bytes = memory_bytes(content.len() as u64, &header, SERVED_SIZE, format);
            let _memory = memory.take(bytes).map_err(refused)?;
            // The reservation needs a name: `let _ =` would release it before the image is decoded.
            let served = served(content, &header, format).map_err(refused)?;
            Ok(ProcessedImage {
                served,
                keeps_original: true,
            })
        }
    }
}

const SERVED_SIZE: ImageSize = ImageSize::of_width(WIDTH_MAX);

/// Returns the served version of an image.
fn served(content: &[u8], header: &Header, format: Format) -> Result<Vec<u8>, ImageError> {
    let is_small = header.width <= WIDTH_MAX;
    let stays_as_it_is = header.is_animated || (format == Format::Gif && is_small);
    if stays_as_it_is {
        check(content, header)?;
        return without_metadata(content, format)
            .ok_or_else(|| ImageError::Unreadable("it is truncated".to_owned()));
    }
    let encoded = reencode(content, header, SERVED_SIZE, format)?;
    // Re-encoding a well-compressed image can make it larger without improving it.
    let can_stay = is_small && header.format() == Some(format) && header.is_upright();
    let stripped = if can_stay && encoded.len() >= content.len() {
        without_metadata(content, format)
    } else {
        None
    };
    Ok(stripped
        .filter(|stripped| stripped.len() <= encoded.len())
        .unwrap_or(encoded))
}

fn check_purpose(header: &Header, purpose: Purpose) -> Result<()> {
    let (width, height) = (header.width, header.height);
    let is_square = width == height;
    let what = match purpose {
        Purpose::ProfileImage if !is_square => "A profile image must be square",
        Purpose::Icon if header.kind == ImageKind::Ico && !is_square => {
            "A Windows icon must be square"
        }
        Purpose::Icon if width.min(height) < ICON_SIDE_MIN => {
            "An icon must have at least 60 pixels on each side"
        }
        _ => return Ok(()),
    };
    Err(Error::new(
        Kind::Validation,
        format!("{what}; this one has {width} by {height}."),
    ))
}
