//! The directory of an icon of Windows: which pictures are in it, and where.
//!
//! They are not decoded. Browsers take more of them than libraries do, and nothing is made of them here.

/// Bytes before the first entry.
const HEADER_BYTES: usize = 6;

/// Bytes of an entry.
const ENTRY_BYTES: usize = 16;

/// Width and height of the largest picture in an icon, in points; `None` when one of its pictures is not all there.
pub fn largest(icon: &[u8]) -> Option<(u32, u32)> {
    let count = u16::from_le_bytes([*icon.get(4)?, *icon.get(5)?]);
    let entries = icon.get(HEADER_BYTES..)?.chunks_exact(ENTRY_BYTES);
    let mut largest = None;
    let mut seen = 0;
    for entry in entries.take(usize::from(count)) {
        let number = |place: usize| -> Option<usize> {
            let bytes = entry.get(place..place + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let (length, begin) = (number(8)?, number(12)?);
        let picture = icon.get(begin..begin.checked_add(length)?)?;
        if picture.is_empty() {
            return None;
        }
        largest = largest.max(Some((side(entry[0]), side(entry[1]))));
        seen += 1;
    }
    largest.filter(|_| seen == count)
}

/// A side of 256 points is written as none.
fn side(written: u8) -> u32 {
    match written {
        0 => 256,
        other => u32::from(other),
    }
}
