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
