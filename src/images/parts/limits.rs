//! Limits of the pixels, frames and parts of an image.

use crate::images::ImageError;

/// Maximum number of pixels in an image: 10,000 by 10,000.
pub const PIXELS_MAX: u64 = 100_000_000;

/// Longest side of an image, in pixels: the limit of JPEG.
pub const SIDE_MAX: u32 = 65_535;

/// Maximum number of frames in an animated image.
pub const FRAMES_MAX: usize = 2_000;

/// Maximum number of chunks, segments or blocks in an image.
pub const PARTS_MAX: usize = 1 << 16;

pub(super) fn check_size(width: u32, height: u32) -> Result<(), ImageError> {
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
pub(super) struct PartCount {
    parts: usize,
    pub(super) frames: usize,
}

impl PartCount {
    /// Counts a part.
    pub(super) fn add(&mut self) -> Result<(), ImageError> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            let why = format!("it consists of more than {PARTS_MAX} parts");
            return Err(ImageError::TooLarge(why));
        }
        Ok(())
    }

    /// Counts a frame of an animation.
    pub(super) fn add_frame(&mut self) -> Result<(), ImageError> {
        self.frames += 1;
        if self.frames > FRAMES_MAX {
            return Err(too_many_frames());
        }
        Ok(())
    }
}

pub(super) fn too_many_frames() -> ImageError {
    ImageError::TooLarge(format!("it has more than {FRAMES_MAX} frames"))
}
