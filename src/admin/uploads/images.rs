//! Pictures that are sent.
//!
//! A picture of points is made again: at most 2000 points wide, upright, without what the camera wrote into it. That one
//! is served; as it was sent, it is kept beside it under `NAME_o` (Ghost 6.65, recorded).

use super::{
    Declared, Folders, folder_of_month, names::FileName, places::Companion, refused, wrong_kind,
};
use crate::{
    error::{Error, Kind, Result},
    images::{
        FILE_BYTES_MAX, Format, Header, ImageError, ImageKind, ImageSize, Memory, check,
        memory_bytes, rework, svg, without_metadata,
    },
    site::Site,
    whole_file::WholeFile,
};

/// Widest picture that is served as it was uploaded, in points (Ghost 6.65, recorded).
const WIDTH_MAX: u32 = 2000;

/// Shortest side of a site's icon, in points (Ghost 6.65, recorded).
const ICON_SIDE_MIN: u32 = 60;

/// What pictures may be declared as (Ghost 6.65, recorded).
const MEDIA_TYPES: [&str; 7] = [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/svg+xml",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "image/webp",
];

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To stand in a text.
    Image,
    /// To show a person; it must be square.
    ProfileImage,
    /// To be the site's icon; it must have at least 60 points along each side.
    Icon,
}

impl Purpose {
    /// The purpose of this name on the wire.
    ///
    /// # Errors
    ///
    /// `Validation` for another one.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "image" => Ok(Self::Image),
            "profile_image" => Ok(Self::ProfileImage),
            "icon" => Ok(Self::Icon),
            other => Err(Error::new(
                Kind::Validation,
                format!("A picture is for image, profile_image or icon, not for \"{other}\"."),
            )
            .property("purpose")),
        }
    }
}

/// What is kept of a picture.
pub(super) struct Prepared {
    /// What is served.
    pub served: Vec<u8>,
    /// Whether it is also kept as it was sent.
    pub keeps_original: bool,
}

/// Keeps a picture; returns its path below the data folder, such as `images/2026/11/ferry.jpg`.
///
/// # Errors
///
/// `UnsupportedMediaType` when it is no picture or another kind than it says, `BadRequest` when it cannot be read,
/// `Validation` when it is too large or not fit for its purpose, `Maintenance` when too many are being worked on.
pub fn upload(
    site: &Site,
    folders: Folders,
    memory: &Memory,
    declared: Declared,
    content: &[u8],
    purpose: Purpose,
) -> Result<String> {
    let prepared = prepare(memory, declared, content, purpose)?;
    let folder = folder_of_month(site, "images");
    let written = |content| WholeFile::with_content(folders.data, content).map_err(Error::internal);
    let served = written(&prepared.served)?;
    // What is served as it was sent is on disk once, under two names.
    let original = if prepared.keeps_original && prepared.served != content {
        Some(written(content)?)
    } else {
        None
    };
    let companion = prepared.keeps_original.then(|| Companion {
        file: original.as_ref().unwrap_or(&served),
        name: &|name| name.with("_o"),
    });
    let name = folders.keep(&folder, &FileName::safe(declared.name), &served, companion)?;
    Ok(format!("{folder}/{}", name.with("")))
}

/// Checks a picture, and makes what is served of it.
pub(super) fn prepare(
    memory: &Memory,
    declared: Declared,
    content: &[u8],
    purpose: Purpose,
) -> Result<Prepared> {
    const PICTURE: &str = "a picture: .jpg, .jpeg, .gif, .png, .svg, .svgz, .ico or .webp";
    let kind = ImageKind::of_name(declared.name)
        .filter(|_| MEDIA_TYPES.contains(&declared.kind))
        .ok_or_else(|| wrong_kind(declared, PICTURE))?;
    if content.len() as u64 > FILE_BYTES_MAX {
        return Err(Error::new(
            Kind::RequestEntityTooLarge,
            format!("A picture has at most {} MB.", FILE_BYTES_MAX >> 20),
        ));
    }
    let not_drawn = |error: ImageError| match error {
        ImageError::Unreadable(why) => wrong_kind(declared, "a drawing").context(format!("{why}.")),
        other => refused(other),
    };
    let drawing = |served| Prepared {
        served,
        keeps_original: false,
    };
    match kind {
        ImageKind::Svg => svg::clean(content).map(drawing).map_err(not_drawn),
        ImageKind::PackedSvg => svg::clean_packed(content).map(drawing).map_err(not_drawn),
        ImageKind::Ico => {
            let header = Header::read(content).map_err(refused)?;
            if header.kind != ImageKind::Ico {
                return Err(wrong_kind(declared, "an icon of Windows"));
            }
            check_purpose(&header, purpose)?;
            Ok(drawing(content.to_vec()))
        }
        ImageKind::Raster(format) => {
            let header = Header::read(content).map_err(refused)?;
            if !can_be(format, &header) {
                return Err(wrong_kind(declared, "of the kind that its name says"));
            }
            check_purpose(&header, purpose)?;
            let bytes = memory_bytes(content.len() as u64, &header, SERVED_SIZE);
            let _memory = memory.take(bytes).map_err(refused)?;
            let served = served(content, &header, format).map_err(refused)?;
            Ok(Prepared {
                served,
                keeps_original: true,
            })
        }
    }
}

const SERVED_SIZE: ImageSize = ImageSize::of_width(WIDTH_MAX);

/// Whether a picture may have a name of this format. It is made again in that format, so that its name is true; but a
/// picture that moves would stop, and nothing else than a GIF becomes one.
fn can_be(format: Format, header: &Header) -> bool {
    let is_it = header.format() == Some(format);
    let can_be_made = header.format().is_some() && !header.is_animated && format != Format::Gif;
    is_it || can_be_made
}

/// What is served of a picture.
fn served(content: &[u8], header: &Header, format: Format) -> Result<Vec<u8>, ImageError> {
    let is_small = header.width <= WIDTH_MAX;
    let stays_as_it_is = header.is_animated || (format == Format::Gif && is_small);
    if stays_as_it_is {
        check(content, header)?;
        let bare = without_metadata(content, format);
        return Ok(bare.unwrap_or_else(|| content.to_vec()));
    }
    let made = rework(content, header, SERVED_SIZE, format)?;
    // Making a well-packed picture again can make it larger, and no better.
    let can_stay = is_small && header.format() == Some(format) && header.is_upright();
    let bare = if can_stay && made.len() >= content.len() {
        without_metadata(content, format)
    } else {
        None
    };
    Ok(bare.filter(|bare| bare.len() <= made.len()).unwrap_or(made))
}

fn check_purpose(header: &Header, purpose: Purpose) -> Result<()> {
    let (width, height) = (header.width, header.height);
    let is_square = width == height;
    let what = match purpose {
        Purpose::ProfileImage if !is_square => "A profile image must be square",
        Purpose::Icon if header.kind == ImageKind::Ico && !is_square => {
            "An icon of Windows must be square"
        }
        Purpose::Icon if width.min(height) < ICON_SIDE_MIN => {
            "An icon must have at least 60 points along each side"
        }
        _ => return Ok(()),
    };
    Err(Error::new(
        Kind::Validation,
        format!("{what}; this one has {width} by {height}."),
    ))
}
