//! Removes metadata from images: time, location, camera and photographer.
//!
//! The pixels stay byte for byte. This is for images that would only get larger if they were
//! encoded again.

use super::{
    kind::Format,
    parts::{Parts, webp},
};

/// Returns the image without metadata, and without bytes after its end; `None` if it is of another
/// format or cut off.
pub fn without_metadata(content: &[u8], format: Format) -> Option<Vec<u8>> {
    let parts = Parts::find(content, format).ok()?;
    let image = match format {
        Format::Webp => webp::joined(&parts.shown, content),
        _ => parts.shown.of(content),
    };
    Some(image.into_owned())
}
