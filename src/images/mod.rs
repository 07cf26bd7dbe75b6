//! Images: detects their kinds, and creates resized copies.
//!
//! This module converts bytes to bytes. The kind of an image is determined from its content
//! ([`ImageKind`]) and its parts from its header ([`Header`]) before anything is decoded, so that a few
//! bytes cannot request gigabytes: a decoder gets only the parts that it needs for the pixels, and the
//! memory for them is known in advance. [`reencode()`] creates a smaller image, or the same one in
//! another format: upright, in sRGB, without camera metadata. [`svg`] cleans SVG images. [`Memory`]
//! limits the memory for all of this, and [`Copies`] stores the results.
//!
//! *This module does not depend on sites and requests. Only this module uses the libraries that read
//! and write images.*

mod colour_profile;
mod error;
mod header;
mod kind;
mod limits;
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

pub use self::error::ImageError;
pub use self::limits::FILE_BYTES_MAX;

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
