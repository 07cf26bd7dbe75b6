//! The parts of an image.

use image::metadata::Orientation;

use crate::images::{colour_profile::ProfileParts, parts::pieces::Pieces};

/// The parts of an image that can be resized, and the properties that follow from them.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Stored width in pixels.
    pub width: u32,
    /// Stored height in pixels.
    pub height: u32,
    /// Upper bound for the size of a decoded pixel, in bytes.
    pub pixel_bytes: u64,
    /// True if it is animated.
    pub is_animated: bool,
    /// The rotation of the pixels for display.
    pub orientation: Orientation,
    /// The colour profile.
    pub profile: ProfileParts,
    /// The parts that a decoder needs for the pixels, or for those of the first frame of an
    /// animation.
    pub decoded: Pieces,
    /// The parts that affect the display, without metadata.
    pub shown: Pieces,
    /// The end of the image, as an offset in the file. Nothing after it belongs to the image.
    pub end: usize,
    /// Upper bound for the memory of a decoder in addition to the decoded pixels and the parts that
    /// it reads, in bytes.
    pub decoder_bytes: u64,
}

impl Parts {
    /// Returns empty parts, to be filled by a scanner.
    pub(super) fn empty() -> Self {
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

    /// Returns the number of pixels.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}
