//! The parts of an image file: chunks, segments and blocks, found without a decoder.
//!
//! Decoders expand and copy parts that are not in any copy of the image: texts, camera metadata,
//! thumbnails, frames, and colour profiles, which may be compressed a thousandfold. So each file is
//! first scanned here, in one pass that allocates nothing but ranges. A decoder gets only the parts
//! that it needs for the pixels ([`Parts::decoded`]), and the memory that it takes for them is known
//! in advance. Structures with too many parts, frames or passes are refused here.

mod errors;
mod finding;
pub mod gif;
pub mod ico;
mod image_parts;
pub mod jpeg;
mod limits;
mod pieces;
pub mod png;
pub mod webp;
mod webp_lossless;

pub use self::image_parts::Parts;
pub use self::limits::{FRAMES_MAX, PARTS_MAX, PIXELS_MAX, SIDE_MAX};

pub use pieces::Pieces;

use super::kind::{Format, ImageKind};

/// Returns the image in a file without the bytes after its end. Those are another file that is
/// disguised as this image.
///
/// Bytes after a JPEG are preserved: cameras store further images of the same scene there.
pub fn without_trailing_bytes(file: &[u8]) -> &[u8] {
    let end = match ImageKind::of_content(file) {
        Some(ImageKind::Raster(format)) if format != Format::Jpeg => {
            Parts::find(file, format).map(|parts| parts.end)
        }
        Some(ImageKind::Ico) => ico::parts(file).map(|parts| parts.end),
        _ => return file,
    };
    end.ok().and_then(|end| file.get(..end)).unwrap_or(file)
}
