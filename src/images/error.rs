//! The errors of images that are refused.

use std::io;

/// The reason why an image cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is damaged or not an image.
    #[error("The image cannot be read: {0}.")]
    Unreadable(String),
    /// It exceeds a limit.
    #[error("The image is too large: {0}.")]
    TooLarge(String),
    /// It needs more memory than the limit for all images together.
    #[error(
        "The image needs {} MB of memory to read, but all images together may take {} MB.",
        needed.div_ceil(1 << 20),
        allowed >> 20
    )]
    NeedsMemory {
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The limit for all images together, in bytes.
        allowed: u64,
    },
    /// It was replaced while it was being read.
    #[error("The image is being changed.")]
    Changing,
    /// Other images held the memory for too long.
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
