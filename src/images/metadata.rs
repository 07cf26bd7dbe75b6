//! Removes metadata from images: time, location, camera and photographer.
//!
//! The pixels are not re-encoded, which would make some images only larger.

use super::{
    kind::Format,
    parts::{Parts, webp},
};

/// Returns the image without metadata, and without bytes after its end; `None` if it has another
/// format or is truncated.
pub fn without_metadata(content: &[u8], format: Format) -> Option<Vec<u8>> {
    let parts = Parts::find(content, format).ok()?;
    let image = match format {
        Format::Webp => webp::joined(&parts.shown, content),
        _ => parts.shown.of(content),
    };
    Some(image.into_owned())
}
