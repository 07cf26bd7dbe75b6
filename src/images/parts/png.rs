//! The chunks of a PNG (W3C PNG, third edition), including an animated one.

use std::ops::Range;

use image::metadata::Orientation;

use super::{FRAMES_MAX, Parts};
use crate::images::{
    ImageError,
    colour_profile::ProfileParts,
    parts::{
        errors::{cut_off, unreadable},
        limits::{PartCount, too_many_frames},
    },
};

/// Number of bytes before the first chunk.
const SIGNATURE_BYTES: usize = 8;

/// The chunks that affect the display (section 5.6). The others contain texts, times and metadata.
const SHOWN: [&[u8; 4]; 19] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
    b"bKGD", b"pHYs", b"hIST", b"sPLT", b"cICP", b"mDCV", b"acTL", b"fcTL", b"fdAT",
];

/// Longest name of a colour profile, in bytes.
const PROFILE_NAME_BYTES_MAX: usize = 79;

/// Number of rows that the decoder holds at a time: at least two, and those that one step
/// decompresses.
const ROWS_HELD: u64 = 12;

/// A chunk: a length, a kind, the content and a checksum.
struct Chunk<'a> {
    kind: [u8; 4],
    content: &'a [u8],
    content_begin: usize,
    whole: Range<usize>,
}

impl<'a> Chunk<'a> {
    fn at(file: &'a [u8], begin: usize) -> Option<Self> {
        let rest = file.get(begin..)?;
        let length = u32::from_be_bytes(*rest.first_chunk()?) as usize;
        let kind = *rest.get(4..)?.first_chunk()?;
        let end = begin.checked_add(12)?.checked_add(length)?;
        let content = file.get(begin + 8..end - 4)?;
        // `end` includes the checksum, which must be in the file, too.
        (end <= file.len()).then_some(Self {
            kind,
            content,
            content_begin: begin + 8,
            whole: begin..end,
        })
    }

    /// Returns whether a decoder must understand the chunk.
    fn is_critical(&self) -> bool {
        // Critical chunks have an upper-case first letter (PNG specification, 5.4).
        self.kind[0].is_ascii_uppercase()
    }

    fn number(&self, offset: usize) -> u32 {
        let bytes = self
            .content
            .get(offset..)
            .and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
    }
}

/// Finds the parts of a file that begins with a PNG.
///
/// # Errors
///
/// The errors of [`Parts::find`].
pub fn parts(file: &[u8]) -> Result<Parts, ImageError> {
    let mut parts = Parts::empty();
    let mut count = PartCount::default();
    let mut begin = SIGNATURE_BYTES;
    let mut has_pixels = false;
    for pieces in [&mut parts.decoded, &mut parts.shown] {
        pieces.add(0..SIGNATURE_BYTES);
    }
    loop {
        let chunk = Chunk::at(file, begin).ok_or_else(cut_off)?;
        count.add()?;
        if (begin == SIGNATURE_BYTES) != (&chunk.kind == b"IHDR") {
            return Err(unreadable("the header is not its first chunk"));
        }
        match &chunk.kind {
            b"IHDR" => read_header(&chunk, &mut parts),
            b"IDAT" => has_pixels = true,
            b"tRNS" => parts.pixel_bytes = with_transparency(parts.pixel_bytes),
            b"eXIf" if parts.orientation == Orientation::NoTransforms => {
                let orientation = Orientation::from_exif_chunk(chunk.content);
                parts.orientation = orientation.unwrap_or(Orientation::NoTransforms);
            }
            // A profile has to precede the pixels (PNG specification, 5.6).
            b"iCCP" if !has_pixels && parts.profile.is_empty() => {
                parts.profile = profile(&chunk);
            }
            b"acTL" if !has_pixels => {
                let frames = chunk.number(0);
                parts.is_animated |= frames > 0;
                if frames as usize > FRAMES_MAX {
                    return Err(too_many_frames());
                }
            }
            b"fcTL" => {
                count.add_frame()?;
                check_frame(&chunk, &parts)?;
            }
            _ => {}
        }
        // Without the chunks of an animation, which are not critical, the decoder reads a still
        // image. tRNS is not critical either, but changes the pixels.
        if chunk.is_critical() || &chunk.kind == b"tRNS" {
            parts.decoded.add(chunk.whole.clone());
        }
        if SHOWN.contains(&&chunk.kind) {
            parts.shown.add(chunk.whole.clone());
        }
        begin = chunk.whole.end;
        if &chunk.kind == b"IEND" {
            parts.end = begin;
            parts.decoder_bytes = ROWS_HELD * (8 * u64::from(parts.width) + 1);
            return Ok(parts);
        }
    }
}

/// Reads the size of the image, and the maximum size of a pixel when it is expanded to 8 or 16 bits
/// for each channel.
fn read_header(chunk: &Chunk, parts: &mut Parts) {
    parts.width = chunk.number(0);
    parts.height = chunk.number(4);
    let channels = match chunk.content.get(9) {
        Some(0) => 1,
        Some(2 | 3) => 3,
        Some(4) => 2,
        _ => 4,
    };
    let channel_bytes = if chunk.content.get(8) == Some(&16) {
        2
    } else {
        1
    };
    parts.pixel_bytes = channels * channel_bytes;
}

/// Returns the size of a pixel with an additional channel for transparency, in bytes.
fn with_transparency(pixel_bytes: u64) -> u64 {
    match pixel_bytes {
        1 => 2,
        2 | 3 => 4,
        6 => 8,
        other => other,
    }
}

/// Returns the compressed profile. It follows a name, which ends with a zero byte, and the number
/// of the compression method, which is 0.
fn profile(chunk: &Chunk) -> ProfileParts {
    let name = memchr::memchr(0, chunk.content);
    match name.filter(|length| (1..=PROFILE_NAME_BYTES_MAX).contains(length)) {
        Some(name) if chunk.content.get(name + 1) == Some(&0) => {
            let begin = chunk.content_begin + name + 2;
            ProfileParts::compressed(begin..chunk.content_begin + chunk.content.len())
        }
        _ => ProfileParts::default(),
    }
}

/// Checks that a frame of an animation is within the image.
fn check_frame(chunk: &Chunk, parts: &Parts) -> Result<(), ImageError> {
    let end = |length, begin| u64::from(chunk.number(length)) + u64::from(chunk.number(begin));
    if end(4, 12) > u64::from(parts.width) || end(8, 16) > u64::from(parts.height) {
        return Err(unreadable("a frame exceeds the image"));
    }
    Ok(())
}
