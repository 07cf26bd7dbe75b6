//! Pictures: what they are, and smaller ones made of them.
//!
//! Bytes to bytes. What a picture is, is told from its content ([`ImageKind`]); how large it is, from its header
//! ([`Header`]), before anything is decoded, so that a few bytes cannot ask for gigabytes. [`rework()`] makes a smaller
//! picture, or the same in another format: upright, in sRGB, without what cameras write into it. [`svg`] cleans drawings.
//! [`Memory`] bounds what all of that takes at a time, [`Copies`] keeps what was made.
//!
//! *It knows no site and no request. It alone names the libraries that read and write pictures.*

mod copies;
mod header;
mod ico;
mod jpeg;
mod kind;
mod memory;
mod metadata;
mod rework;
mod size;
pub mod svg;
mod variant;

pub use copies::{Copies, Copy};
pub use header::{FRAMES_MAX, Header, PIXELS_MAX, SIDE_MAX};
pub use kind::{Format, ImageKind};
pub use memory::{Held, Memory};
pub use metadata::without_metadata;
pub use rework::{check, memory_bytes, rework};
pub use size::{Fitted, ImageSize};
pub use variant::Variant;

use std::io;

/// Longest file that is looked at as a picture, in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Why nothing can be made of a picture.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It is none, or broken.
    #[error("The picture cannot be read: {0}.")]
    Unreadable(String),
    /// It is one, but larger than is taken.
    #[error("The picture is too large: {0}.")]
    TooLarge(String),
    /// It would take more memory than all pictures together may have.
    #[error(
        "The picture takes {} MB of memory to read, and pictures have {} MB together.",
        needed.div_ceil(1 << 20),
        allowed >> 20
    )]
    NeedsMemory {
        /// What it takes, in bytes.
        needed: u64,
        /// What there is, in bytes.
        allowed: u64,
    },
    /// Others have the memory, and did not give it back in time.
    #[error("Too many pictures are being worked on.")]
    Busy,
    /// A file cannot be read or written.
    #[error("a file of a picture cannot be used: {0}")]
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
