//! The parts of an image file: chunks, segments and blocks, found without a decoder.
//!
//! Decoders expand and copy parts that no copy of the image contains: texts, camera metadata,
//! thumbnails, frames, and colour profiles, which may be compressed a thousandfold. So each file is
//! first read here, in one pass, with nothing allocated but ranges. A decoder gets only the parts
//! that it needs for the pixels ([`Parts::decoded`]), and the memory that it takes for them is known
//! before. Invalid structures are refused here: too many parts, frames or passes.

pub mod gif;
pub mod ico;
pub mod jpeg;
mod pieces;
pub mod png;
pub mod webp;
mod webp_lossless;

pub use pieces::Pieces;

use image::metadata::Orientation;

use super::{
    ImageError,
    colour_profile::ProfileParts,
    kind::{Format, ImageKind},
};

/// Most pixels of one image: 10,000 by 10,000.
pub const PIXELS_MAX: u64 = 100_000_000;

/// Longest side of an image, in pixels: the longest in JPEG.
pub const SIDE_MAX: u32 = 65_535;

/// Most frames of an animated image.
pub const FRAMES_MAX: usize = 2_000;

/// Most chunks, segments or blocks of one image.
pub const PARTS_MAX: usize = 1 << 16;

/// The parts of an image that can be resized, and the properties that follow from them.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Stored width in pixels.
    pub width: u32,
    /// Stored height in pixels.
    pub height: u32,
    /// Most bytes of a decoded pixel.
    pub pixel_bytes: u64,
    /// True if it is animated.
    pub is_animated: bool,
    /// The rotation of the pixels for display.
    pub orientation: Orientation,
    /// The colour profile.
    pub profile: ProfileParts,
    /// The parts that a decoder needs for the pixels; of an animation, for those of the first frame.
    pub decoded: Pieces,
    /// The parts that determine the display, without metadata.
    pub shown: Pieces,
    /// The end of the image in the file, in bytes. Nothing after it belongs to the image.
    pub end: usize,
    /// Most bytes that a decoder takes besides the decoded pixels and the parts that it reads.
    pub decoder_bytes: u64,
}

impl Parts {
    /// Returns parts without content, for a walk to fill.
    fn empty() -> Self {
        Self {
            width: 0,
            height: 0,
            pixel_bytes: 4,
            is_animated: false,
            orientation: Orientation::NoTransforms,
            profile: ProfileParts::default(),
            decoded: Pieces::default(),
            shown: Pieces::default(),
            end: 0,
            decoder_bytes: 0,
        }
    }

    /// Finds the parts of a file, which begins with an image of this format.
    ///
    /// # Errors
    ///
    /// `Unreadable` if the file is cut off or contradicts itself; `TooLarge` if the image has more
    /// than [`PIXELS_MAX`] pixels, a side over [`SIDE_MAX`], or more parts, frames or passes than
    /// an image may have.
    pub fn find(file: &[u8], format: Format) -> Result<Self, ImageError> {
        let parts = match format {
            Format::Jpeg => jpeg::parts(file),
            Format::Png => png::parts(file),
            Format::Gif => gif::parts(file),
            Format::Webp => webp::parts(file),
        }?;
        check_size(parts.width, parts.height)?;
        Ok(parts)
    }

    /// Returns the number of pixels.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Returns the image in a file without the bytes after its end. They belong to another file that
/// pretends to be this one.
///
/// Bytes after a JPEG stay: cameras store further images of the same scene there.
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

fn check_size(width: u32, height: u32) -> Result<(), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(ImageError::Unreadable("it has no pixels".to_owned()));
    }
    if pixels > PIXELS_MAX || width.max(height) > SIDE_MAX {
        return Err(ImageError::TooLarge(format!(
            "it has {width} by {height} pixels; at most {PIXELS_MAX} are allowed in all, and {SIDE_MAX} along a side"
        )));
    }
    Ok(())
}

/// Counts the parts of an image.
#[derive(Debug, Default)]
struct PartCount {
    parts: usize,
    frames: usize,
}

impl PartCount {
    /// Counts a part.
    fn add(&mut self) -> Result<(), ImageError> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            let why = format!("it consists of more than {PARTS_MAX} parts");
            return Err(ImageError::TooLarge(why));
        }
        Ok(())
    }

    /// Counts a frame of an animation.
    fn add_frame(&mut self) -> Result<(), ImageError> {
        self.frames += 1;
        if self.frames > FRAMES_MAX {
            return Err(too_many_frames());
        }
        Ok(())
    }
}

fn too_many_frames() -> ImageError {
    ImageError::TooLarge(format!("it has more than {FRAMES_MAX} frames"))
}

fn cut_off() -> ImageError {
    ImageError::Unreadable("it is cut off".to_owned())
}

fn unreadable(why: &str) -> ImageError {
    ImageError::Unreadable(why.to_owned())
}
