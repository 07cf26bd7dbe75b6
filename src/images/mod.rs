//! Images: their kinds, and resized copies.
//!
//! Bytes to bytes. The kind of an image is determined from its content ([`ImageKind`]) and its parts
//! from its header ([`Header`]), before anything is decoded, so that a few bytes cannot request
//! gigabytes: a decoder gets only the parts that it needs for the pixels, and the memory for them is
//! known before. [`reencode()`] makes a smaller image, or the same in another format: upright, in sRGB,
//! without camera metadata. [`svg`] cleans SVG images. [`Memory`] bounds the memory of all that,
//! [`Copies`] stores the results.
//!
//! *It knows no site and no request. Only this module uses the libraries that read and write
//! images.*

mod colour_profile;
mod header;
mod kind;
mod memory;
mod metadata;
mod parts;
mod reencode;
mod resample;
mod resized;
mod shown_size;
mod size;
pub mod svg;
mod svg_bounds;
mod variant;

pub use colour_profile::PROFILE_BYTES_MAX;
pub use header::Header;
pub use kind::{Format, ImageKind};
pub use memory::{Memory, MemoryReservation};
pub use metadata::without_metadata;
pub use parts::{FRAMES_MAX, PARTS_MAX, PIXELS_MAX, SIDE_MAX, without_trailing_bytes};
pub use reencode::{check, memory_bytes, reencode};
pub use resized::{Copies, Copy};
pub use shown_size::shown_size;
pub use size::{FittedSize, ImageSize};
pub use variant::Variant;

use std::io;

/// Longest file that is read as an image, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is not an image, or broken.
    #[error("The image cannot be read: {0}.")]
    Unreadable(String),
    /// It exceeds a limit.
    #[error("The image is too large: {0}.")]
    TooLarge(String),
    /// It needs more memory than all images together may take.
    #[error(
        "The image needs {} MB of memory to read, but all images together may take {} MB.",
        needed.div_ceil(1 << 20),
        allowed >> 20
    )]
    NeedsMemory {
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The whole memory, in bytes.
        allowed: u64,
    },
    /// It was replaced while it was read.
    #[error("The image is being changed.")]
    Changing,
    /// Others hold the memory, and did not return it in time.
    #[error("Too many images are being processed.")]
    Busy,
    /// A file cannot be read or written.
    #[error("a file of an image cannot be used: {0}")]
    File(#[from] io::Error),
}

impl From<image::ImageError> for ImageError {
    fn from(error: image::ImageError) -> Self {
        match error {
            image::ImageError::Limits(limit) => Self::TooLarge(limit.to_string()),
            other => Self::Unreadable(other.to_string()),
        }
    }
}
