//! Finds the parts of a file by scanning its format. A separate module, since the scanners use [`Parts`].

use crate::images::{
    ImageError,
    kind::Format,
    parts::{gif, image_parts::Parts, jpeg, limits::check_size, png, webp},
};

impl Parts {
    /// Finds the parts of a file that begins with an image of this format.
    ///
    /// # Errors
    ///
    /// `Unreadable` if the file is truncated or inconsistent; `TooLarge` if the image has more than
    /// [`PIXELS_MAX`](super::PIXELS_MAX) pixels, a side over [`SIDE_MAX`](super::SIDE_MAX), or too many parts, frames
    /// or passes.
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
}
