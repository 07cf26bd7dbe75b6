//! The directory of a Windows icon: the images in it.
//!
//! The images are not decoded: browsers support more kinds of them than libraries do, and icons are
//! never resized. Their sizes are limited to protect those browsers.

use super::png;
use crate::images::{
    ImageError,
    kind::{Format, ImageKind},
    parts::errors::cut_off,
};

/// Maximum number of images in an icon.
const IMAGES_MAX: u16 = 256;

/// Longest side of an image in an icon, in pixels. The directory can express at most 256, but some
/// programs read larger images.
const SIDE_MAX: u32 = 1024;

/// Number of bytes before the first entry.
const HEADER_BYTES: usize = 6;

/// Size of the header of a bitmap with 16-bit dimensions, in bytes.
const OLD_HEADER_BYTES: u32 = 12;

/// Size of an entry, in bytes.
const ENTRY_BYTES: usize = 16;

/// The images of an icon.
#[derive(Debug, PartialEq, Eq)]
pub struct IconParts {
    /// Width of the largest image, in pixels.
    pub width: u32,
    /// Height of the largest image, in pixels.
    pub height: u32,
    /// The end of the last image, as an offset in the file.
    pub end: usize,
}

/// Finds the images of an icon.
///
/// # Errors
///
/// `Unreadable` if it contains no image, or one of them is truncated; `TooLarge` if there are more
/// than 256 images, or one has a side over 1024 pixels.
pub fn parts(icon: &[u8]) -> Result<IconParts, ImageError> {
    let count = icon.get(4..).and_then(|rest| rest.first_chunk());
    let count = u16::from_le_bytes(*count.ok_or_else(cut_off)?);
    if count > IMAGES_MAX {
        let why = format!("it has {count} images, and an icon has at most {IMAGES_MAX}");
        return Err(ImageError::TooLarge(why));
    }
    let mut largest = None;
    let mut end = 0;
    for number in 0..usize::from(count) {
        let begin = HEADER_BYTES + number * ENTRY_BYTES;
        let entry = icon.get(begin..).and_then(|rest| rest.first_chunk());
        let entry: &[u8; ENTRY_BYTES] = entry.ok_or_else(cut_off)?;
        let range = range(entry);
        let image = icon.get(range.clone()).ok_or_else(cut_off)?;
        check_image(image)?;
        largest = largest.max(Some((side(entry[0]), side(entry[1]))));
        end = end.max(range.end);
    }
    let (width, height) = largest.ok_or_else(cut_off)?;
    Ok(IconParts { width, height, end })
}

/// Returns the range of the image of an entry.
fn range(entry: &[u8; ENTRY_BYTES]) -> std::ops::Range<usize> {
    let [.., l0, l1, l2, l3, b0, b1, b2, b3] = *entry;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let begin = u32::from_le_bytes([b0, b1, b2, b3]) as usize;
    begin..begin.saturating_add(length)
}

/// Checks the size of an image in its own header: that of a PNG, or of a bitmap with two halves.
fn check_image(image: &[u8]) -> Result<(), ImageError> {
    let (width, height) = if ImageKind::of_content(image) == Some(ImageKind::Raster(Format::Png)) {
        let parts = png::parts(image)?;
        parts.profile.byte_count(image)?;
        (parts.width, parts.height)
    } else {
        bitmap_size(image).ok_or_else(cut_off)?
    };
    if width.max(height) > SIDE_MAX {
        return Err(ImageError::TooLarge(format!(
            "it has an image of {width} by {height} pixels; in an icon, at most {SIDE_MAX} are allowed along a side"
        )));
    }
    Ok(())
}

/// Reads the size of a bitmap. The stored height is twice the real one, since the colours are
/// followed by a transparency mask.
fn bitmap_size(bitmap: &[u8]) -> Option<(u32, u32)> {
    let header_bytes = u32::from_le_bytes(*bitmap.first_chunk()?);
    let (width, height) = if header_bytes == OLD_HEADER_BYTES {
        let [_, _, _, _, w0, w1, h0, h1] = *bitmap.first_chunk()?;
        let side = |bytes| u32::from(u16::from_le_bytes(bytes));
        (side([w0, w1]), side([h0, h1]))
    } else {
        let [_, _, _, _, w0, w1, w2, w3, h0, h1, h2, h3] = *bitmap.first_chunk()?;
        // A negative height means that the top row comes first.
        let side = |bytes| i32::from_le_bytes(bytes).unsigned_abs();
        (side([w0, w1, w2, w3]), side([h0, h1, h2, h3]))
    };
    Some((width, height / 2))
}

/// Returns a side in pixels. The value 0 means 256.
fn side(stored: u8) -> u32 {
    match stored {
        0 => 256,
        other => u32::from(other),
    }
}
