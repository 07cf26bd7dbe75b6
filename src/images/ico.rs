//! The directory of a Windows icon: the images in it.
//!
//! They are not decoded: browsers support more kinds of them than libraries do, and they are never
//! resized.

/// Bytes before the first entry.
const HEADER_BYTES: usize = 6;

/// Bytes of an entry.
const ENTRY_BYTES: usize = 16;

/// Returns the width and height of the largest image in an icon, in pixels; `None` if one of its
/// images is cut off.
pub fn largest(icon: &[u8]) -> Option<(u32, u32)> {
    let count = u16::from_le_bytes([*icon.get(4)?, *icon.get(5)?]);
    let entries = icon.get(HEADER_BYTES..)?.chunks_exact(ENTRY_BYTES);
    let mut largest = None;
    let mut complete = 0;
    for entry in entries.take(usize::from(count)) {
        let number = |place: usize| -> Option<usize> {
            let bytes = entry.get(place..place + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let (length, begin) = (number(8)?, number(12)?);
        let image = icon.get(begin..begin.checked_add(length)?)?;
        if image.is_empty() {
            return None;
        }
        largest = largest.max(Some((side(entry[0]), side(entry[1]))));
        complete += 1;
    }
    largest.filter(|_| complete == count)
}

/// Returns a side in pixels: 256 is stored as 0.
fn side(stored: u8) -> u32 {
    match stored {
        0 => 256,
        other => u32::from(other),
    }
}
