//! The chunks of a WebP (RFC 9649).

use std::{borrow::Cow, ops::Range};

use image::metadata::Orientation;

use super::{Parts, Pieces, webp_lossless};
use crate::images::{
    ImageError,
    parts::{
        errors::{cut_off, unreadable},
        limits::{PartCount, check_size},
    },
};

/// Number of bytes before the first chunk: `RIFF`, a length, `WEBP`.
const HEADER_BYTES: usize = 12;

/// Number of bytes before the content of a chunk: a kind and a length.
const CHUNK_HEADER_BYTES: usize = 8;

/// Number of bytes before the chunks of a frame: its position, size and duration.
const FRAME_HEADER_BYTES: usize = 16;

/// Flags in the first chunk of an extended image (section 2.7.1).
const ALPHA: u8 = 0b0001_0000;
const METADATA: u8 = 0b0000_1100;
const ANIMATION: u8 = 0b0000_0010;

/// Memory that the decoder takes for each pixel in addition to the decoded one, in bytes:
/// brightness and colours, the opacity with its copy, and the images that describe the coding of
/// areas.
const PIXEL_BYTES: u64 = 8;

/// The same for an animation, which also needs the frame and the canvas that it is drawn on.
const ANIMATION_PIXEL_BYTES: u64 = 16;

/// Number of copies of the compressed pixels in the decoder, including those made while its buffer
/// grows.
const COPIES: usize = 4;

/// A chunk: a kind, a length and the content, padded to an even number of bytes.
struct Chunk<'a> {
    kind: [u8; 4],
    content: &'a [u8],
    content_begin: usize,
    whole: Range<usize>,
}

impl<'a> Chunk<'a> {
    fn at(file: &'a [u8], begin: usize) -> Option<Self> {
        let rest = file.get(begin..)?;
        let kind = *rest.first_chunk()?;
        let length = u32::from_le_bytes(*rest.get(4..)?.first_chunk()?) as usize;
        let content_begin = begin + CHUNK_HEADER_BYTES;
        let end = content_begin.checked_add(length)?;
        Some(Self {
            kind,
            content: file.get(content_begin..end)?,
            content_begin,
            // The padding of the last chunk may be missing.
            whole: begin..(end + length % 2).min(file.len()),
        })
    }

    /// Returns an upper bound for the memory that decoding the pixels of the chunk takes, in bytes,
    /// without the memory for each pixel.
    fn working_bytes(&self, (width, height): (u32, u32)) -> Result<u64, ImageError> {
        check_size(width, height)?;
        let tables = match &self.kind {
            b"VP8L" => webp_lossless::table_bytes(self.content, None)?,
            // Compressed opacity is an image without a header.
            b"ALPH" if self.content.first().is_some_and(|flags| flags & 3 == 1) => {
                webp_lossless::table_bytes(&self.content[1..], Some((width, height)))?
            }
            _ => 0,
        };
        Ok(tables + (COPIES * self.content.len()) as u64)
    }
}

/// Finds the parts of a file that begins with a WebP.
///
/// # Errors
///
/// The errors of [`Parts::find`].
pub fn parts(file: &[u8]) -> Result<Parts, ImageError> {
    let length = file.get(4..).and_then(|rest| rest.first_chunk());
    let length = u32::from_le_bytes(*length.ok_or_else(cut_off)?) as usize;
    // Bytes after this end do not belong to the image. If the file is truncated instead, the chunk
    // that is cut off is an error.
    let end = length.saturating_add(CHUNK_HEADER_BYTES).min(file.len());
    let image = &file[..end];
    let first = Chunk::at(image, HEADER_BYTES).ok_or_else(cut_off)?;
    let mut parts = Parts::empty();
    parts.end = end;
    for pieces in [&mut parts.decoded, &mut parts.shown] {
        pieces.add(0..HEADER_BYTES);
    }
    if &first.kind == b"VP8X" {
        read_extended(image, &first, &mut parts)?;
    } else {
        let size = size(&first).ok_or_else(|| unreadable("it has no pixels"))?;
        (parts.width, parts.height) = (size.width, size.height);
        parts.pixel_bytes = if size.has_alpha { 4 } else { 3 };
        parts.decoder_bytes = first.working_bytes((size.width, size.height))?;
        for pieces in [&mut parts.decoded, &mut parts.shown] {
            pieces.add(first.whole.clone());
        }
    }
    let pixel_bytes = if parts.is_animated {
        ANIMATION_PIXEL_BYTES
    } else {
        PIXEL_BYTES
    };
    parts.decoder_bytes += pixel_bytes * parts.pixels();
    Ok(parts)
}

/// Reads an extended image, which has several chunks.
fn read_extended(image: &[u8], first: &Chunk, parts: &mut Parts) -> Result<(), ImageError> {
    let [flags, _, _, _, size @ ..] = first.content.first_chunk::<10>().ok_or_else(cut_off)?;
    parts.is_animated = flags & ANIMATION != 0;
    parts.pixel_bytes = if flags & ALPHA == 0 { 3 } else { 4 };
    parts.width = 1 + three_bytes(&size[..3]);
    parts.height = 1 + three_bytes(&size[3..]);
    for pieces in [&mut parts.decoded, &mut parts.shown] {
        pieces.add(first.whole.clone());
    }
    let mut count = PartCount::default();
    let mut has_pixels = false;
    let mut begin = first.whole.end;
    while begin < image.len() {
        let chunk = Chunk::at(image, begin).ok_or_else(cut_off)?;
        count.add()?;
        begin = chunk.whole.end;
        let (is_shown, is_decoded) = match &chunk.kind {
            b"ICCP" if parts.profile.is_empty() => {
                let content = chunk.content_begin..chunk.content_begin + chunk.content.len();
                parts.profile.add(content);
                (true, false)
            }
            b"EXIF" if parts.orientation == Orientation::NoTransforms => {
                let orientation = Orientation::from_exif_chunk(chunk.content);
                parts.orientation = orientation.unwrap_or(Orientation::NoTransforms);
                (false, false)
            }
            b"ANIM" => (true, parts.is_animated),
            b"ANMF" => {
                count.add_frame()?;
                let is_first = parts.is_animated && count.frames == 1;
                if is_first {
                    parts.decoder_bytes += frame_bytes(&chunk)?;
                }
                (true, is_first)
            }
            b"ALPH" | b"VP8 " | b"VP8L" => {
                // The opacity comes before the colours, so it does not count as pixels.
                let is_decoded = !parts.is_animated && !has_pixels;
                has_pixels |= &chunk.kind != b"ALPH";
                if is_decoded {
                    parts.decoder_bytes += chunk.working_bytes((parts.width, parts.height))?;
                }
                (true, is_decoded)
            }
            _ => (false, false),
        };
        if is_shown {
            parts.shown.add(chunk.whole.clone());
        }
        if is_decoded {
            parts.decoded.add(chunk.whole);
        }
    }
    Ok(())
}

/// Returns the memory that decoding the pixels of a frame takes, in bytes.
fn frame_bytes(frame: &Chunk) -> Result<u64, ImageError> {
    let header = frame.content.first_chunk::<FRAME_HEADER_BYTES>();
    let header = header.ok_or_else(cut_off)?;
    let size = (
        1 + three_bytes(&header[6..9]),
        1 + three_bytes(&header[9..12]),
    );
    let mut bytes = 0;
    let mut begin = FRAME_HEADER_BYTES;
    // At most two chunks, opacity and colours: the decoder reads no more.
    for _ in 0..2 {
        if let Some(chunk) = Chunk::at(frame.content, begin) {
            bytes += chunk.working_bytes(size)?;
            begin = chunk.whole.end;
        }
    }
    Ok(bytes)
}

fn three_bytes(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The properties of compressed pixels.
struct Size {
    width: u32,
    height: u32,
    has_alpha: bool,
}

/// Returns the size of the pixels in a chunk: lossy (RFC 6386, section 9.1) or lossless.
fn size(chunk: &Chunk) -> Option<Size> {
    match &chunk.kind {
        b"VP8 " => {
            let [_, _, _, 0x9D, 0x01, 0x2A, size @ ..] = chunk.content.first_chunk::<10>()? else {
                return None;
            };
            let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
            Some(Size {
                width: side(size[0], size[1]),
                height: side(size[2], size[3]),
                has_alpha: false,
            })
        }
        b"VP8L" => {
            let [0x2F, bits @ ..] = chunk.content.first_chunk::<5>()? else {
                return None;
            };
            let bits = u32::from_le_bytes(*bits);
            Some(Size {
                width: 1 + (bits & 0x3FFF),
                height: 1 + (bits >> 14 & 0x3FFF),
                has_alpha: bits >> 28 & 1 == 1,
            })
        }
        _ => None,
    }
}

/// Returns the concatenated pieces of a WebP, with the new length in the header and without the
/// flags of metadata.
pub fn joined<'a>(pieces: &Pieces, file: &'a [u8]) -> Cow<'a, [u8]> {
    let mut image = pieces.of(file);
    let length = u32::try_from(image.len().saturating_sub(CHUNK_HEADER_BYTES)).unwrap_or(u32::MAX);
    let flags = HEADER_BYTES + CHUNK_HEADER_BYTES;
    let is_extended = image.get(HEADER_BYTES..HEADER_BYTES + 4) == Some(b"VP8X");
    let has_metadata = is_extended && image.get(flags).is_some_and(|flags| flags & METADATA != 0);
    let length = length.to_le_bytes();
    if has_metadata || image.get(4..8) != Some(&length) {
        let image = image.to_mut();
        if has_metadata {
            image[flags] &= !METADATA;
        }
        if let Some(stored) = image.get_mut(4..8) {
            stored.copy_from_slice(&length);
        }
    }
    image
}
