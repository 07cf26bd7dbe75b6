//! The blocks of a GIF (GIF89a, CompuServe).

use std::ops::Range;

use super::Parts;
use crate::images::{
    ImageError,
    colour_profile::ProfileParts,
    parts::{
        errors::{cut_off, unreadable},
        limits::{PartCount, check_size},
    },
};

/// Number of bytes before the colour table: the signature and the size of the screen.
const HEADER_BYTES: usize = 13;

/// Introduces an extension.
const EXTENSION: u8 = 0x21;
/// Introduces a frame.
const FRAME: u8 = 0x2C;
/// Ends the image.
const TRAILER: u8 = 0x3B;

/// An extension with the duration and the transparent colour of the next frame.
const CONTROL: u8 = 0xF9;
/// An extension with text to be displayed.
const TEXT: u8 = 0x01;
/// An extension of an application.
const APPLICATION: u8 = 0xFF;

/// The applications whose extensions control the repetition of the animation.
const REPETITION: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];

/// The application whose extension contains a colour profile.
const PROFILE: &[u8] = b"ICCRGBG1012";

/// Memory that the decoder takes for each pixel of a frame, in bytes: its colour and its index in
/// the table.
const FRAME_PIXEL_BYTES: u64 = 5;

/// Finds the parts of a file that begins with a GIF.
///
/// # Errors
///
/// The errors of [`Parts::find`].
pub fn parts(file: &[u8]) -> Result<Parts, ImageError> {
    let mut parts = Parts::empty();
    let mut count = PartCount::default();
    parts.width = number(file, 6)?;
    parts.height = number(file, 8)?;
    let mut begin = HEADER_BYTES + colour_bytes(*file.get(10).ok_or_else(cut_off)?);
    let mut control = None;
    for pieces in [&mut parts.decoded, &mut parts.shown] {
        pieces.add(0..begin);
    }
    loop {
        count.add()?;
        match *file.get(begin).ok_or_else(cut_off)? {
            EXTENSION => {
                let block = extension(file, begin)?;
                if is_shown(file, begin) {
                    parts.shown.add(block.clone());
                }
                let is_before_frames = count.frames == 0 && parts.profile.is_empty();
                match file.get(begin + 1) {
                    Some(&CONTROL) => control = Some(block.clone()),
                    Some(&APPLICATION)
                        if is_before_frames && name(file, begin) == Some(PROFILE) =>
                    {
                        parts.profile = profile(file, begin);
                    }
                    _ => {}
                }
                begin = block.end;
            }
            FRAME => {
                let block = frame(file, begin)?;
                // Only the first frame is decoded, so the sizes of others do not matter.
                if count.frames == 0 {
                    read_first_frame(file, begin, &mut parts)?;
                    // Without this block, the decoder would not know the transparent colour of the
                    // frame.
                    if let Some(control) = control.take() {
                        parts.decoded.add(control);
                    }
                    parts.decoded.add(block.clone());
                }
                count.add_frame()?;
                parts.shown.add(block.clone());
                begin = block.end;
            }
            TRAILER if count.frames == 0 => return Err(unreadable("it has no frame")),
            TRAILER => {
                parts.end = begin + 1;
                parts.decoded.add(begin..parts.end);
                parts.shown.add(begin..parts.end);
                parts.is_animated = count.frames > 1;
                return Ok(parts);
            }
            _ => return Err(unreadable("it has an unknown block")),
        }
    }
}

/// Reads a number of two bytes.
fn number(file: &[u8], offset: usize) -> Result<u32, ImageError> {
    let bytes = file.get(offset..).and_then(|rest| rest.first_chunk());
    bytes
        .map(|bytes| u32::from(u16::from_le_bytes(*bytes)))
        .ok_or_else(cut_off)
}

/// Returns the size of the colour table that these flags announce, in bytes.
fn colour_bytes(flags: u8) -> usize {
    if flags & 0x80 == 0 {
        0
    } else {
        3 << ((flags & 7) + 1)
    }
}

/// Reads the size of the first frame, which may differ from that of the image.
fn read_first_frame(file: &[u8], begin: usize, parts: &mut Parts) -> Result<(), ImageError> {
    let (width, height) = (number(file, begin + 5)?, number(file, begin + 7)?);
    check_size(width, height)?;
    let pixels = parts.pixels().max(u64::from(width) * u64::from(height));
    parts.decoder_bytes = FRAME_PIXEL_BYTES * pixels;
    Ok(())
}

/// Returns the range of the extension at `begin`.
fn extension(file: &[u8], begin: usize) -> Result<Range<usize>, ImageError> {
    Ok(begin..end_of_data(file, begin + 2)?)
}

/// Returns the range of the frame at `begin`: its position, a table of colours, the size of a code,
/// and the compressed pixels.
fn frame(file: &[u8], begin: usize) -> Result<Range<usize>, ImageError> {
    let flags = *file.get(begin + 9).ok_or_else(cut_off)?;
    Ok(begin..end_of_data(file, begin + 10 + colour_bytes(flags) + 1)?)
}

/// Returns the end of the data at `offset`: blocks of at most 255 bytes, terminated by an empty
/// block.
fn end_of_data(file: &[u8], mut offset: usize) -> Result<usize, ImageError> {
    loop {
        let length = usize::from(*file.get(offset).ok_or_else(cut_off)?);
        offset += 1 + length;
        if length == 0 {
            return Ok(offset);
        }
    }
}

/// Returns whether an extension affects the display, unlike comments and metadata.
fn is_shown(file: &[u8], begin: usize) -> bool {
    match file.get(begin + 1) {
        Some(&(CONTROL | TEXT)) => true,
        Some(&APPLICATION) => {
            let name = name(file, begin);
            name.is_some_and(|name| name == PROFILE || REPETITION.contains(&name))
        }
        _ => false,
    }
}

/// Returns the first data block of the extension at `begin`. For the extension of an application,
/// this is its name.
fn name(file: &[u8], begin: usize) -> Option<&[u8]> {
    let length = usize::from(*file.get(begin + 2)?);
    file.get(begin + 3..begin + 3 + length)
}

/// Returns the colour profile in the extension at `begin`: all data blocks but the first.
fn profile(file: &[u8], begin: usize) -> ProfileParts {
    let mut profile = ProfileParts::default();
    let mut offset = begin + 3 + PROFILE.len();
    while let Some(length) = file.get(offset).filter(|length| **length > 0) {
        let end = offset + 1 + usize::from(*length);
        profile.add(offset + 1..end.min(file.len()));
        offset = end;
    }
    profile
}
