//! Removes metadata from images: when, where, with which camera and by whom they were taken.
//!
//! The pixels stay byte for byte. This is for images that would only get larger if they were
//! encoded again.

use std::ops::Range;

use super::{jpeg, kind::Format};

/// The chunks of a PNG that determine its display (W3C PNG, third edition, section 5.6).
const PNG_CHUNKS: [&[u8; 4]; 19] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
    b"bKGD", b"pHYs", b"hIST", b"sPLT", b"cICP", b"mDCV", b"acTL", b"fcTL", b"fdAT",
];

/// Bytes before the first chunk of a PNG.
const PNG_SIGNATURE: usize = 8;

/// Bytes before the first chunk of a WebP: `RIFF`, a length, `WEBP`.
const WEBP_HEADER: usize = 12;

/// The flags in a WebP's first chunk for Exif and XMP metadata (RFC 9649, section 2.7.1).
const WEBP_METADATA_FLAGS: u8 = 0b0000_1100;

/// Returns the image without metadata; `None` if that cannot be separated.
pub fn without_metadata(content: &[u8], format: Format) -> Option<Vec<u8>> {
    match format {
        Format::Jpeg => {
            let structure = jpeg::structure(content);
            let shown = structure.shown.into_iter();
            structure
                .is_complete
                .then(|| shown.flat_map(|range| &content[range]).copied().collect())
        }
        Format::Png => png(content),
        Format::Webp => webp(content),
        Format::Gif => None,
    }
}

fn png(content: &[u8]) -> Option<Vec<u8>> {
    let mut out = content.get(..PNG_SIGNATURE)?.to_vec();
    let mut place = PNG_SIGNATURE;
    loop {
        let length = u32::from_be_bytes(content.get(place..place + 4)?.try_into().ok()?);
        let kind: &[u8; 4] = content.get(place + 4..place + 8)?.try_into().ok()?;
        // A length, a kind, the content and a checksum.
        let end = place.checked_add(12)?.checked_add(length as usize)?;
        let chunk = content.get(place..end)?;
        if PNG_CHUNKS.contains(&kind) {
            out.extend_from_slice(chunk);
        }
        if kind == b"IEND" {
            return Some(out);
        }
        place = end;
    }
}

fn webp(content: &[u8]) -> Option<Vec<u8>> {
    let mut out = content.get(..WEBP_HEADER)?.to_vec();
    let length = u32::from_le_bytes(content.get(4..8)?.try_into().ok()?) as usize;
    let content = content.get(..length.checked_add(8)?)?;
    let mut place = WEBP_HEADER;
    while place < content.len() {
        let chunk = webp_chunk(content, place)?;
        let begin = out.len();
        match &content[place..place + 4] {
            b"EXIF" | b"XMP " => {}
            b"VP8X" => {
                out.extend_from_slice(&content[chunk.clone()]);
                *out.get_mut(begin + 8)? &= !WEBP_METADATA_FLAGS;
            }
            _ => out.extend_from_slice(&content[chunk.clone()]),
        }
        place = chunk.end;
    }
    let length = u32::try_from(out.len() - 8).ok()?;
    out[4..8].copy_from_slice(&length.to_le_bytes());
    Some(out)
}

/// Returns the range of the chunk at `place`: a kind, a length, the content, padded to an even
/// number of bytes.
fn webp_chunk(content: &[u8], place: usize) -> Option<Range<usize>> {
    let length = u32::from_le_bytes(content.get(place + 4..place + 8)?.try_into().ok()?) as usize;
    let end = place.checked_add(8)?.checked_add(length)?;
    let end = end.checked_add(length % 2)?;
    (end <= content.len()).then_some(place..end)
}
