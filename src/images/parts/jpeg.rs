//! The segments of a JPEG (ITU-T T.81, annex B).

use std::ops::Range;

use image::metadata::Orientation;

use super::Parts;
use crate::images::{
    ImageError,
    colour_profile::ProfileParts,
    parts::{errors::cut_off, limits::PartCount},
};

/// Maximum number of passes over the pixels. Encoders write ten in a progressive image, and
/// optimisers a few more.
pub const SCANS_MAX: usize = 40;

/// Maximum size of all decompression tables, in bytes: more than enough for different ones in each
/// pass.
pub const TABLE_BYTES_MAX: usize = 256 << 10;

/// Start of image.
const START: u8 = 0xD8;
/// End of image.
const END: u8 = 0xD9;
/// Start of a scan: the pixels of one pass.
const SCAN: u8 = 0xDA;
/// Quantisation tables and Huffman tables.
const TABLES: [u8; 2] = [0xDB, 0xC4];
/// The restart interval: the number of minimum coded units between restart markers.
const RESTARTS: u8 = 0xDD;
/// A comment.
const COMMENT: u8 = 0xFE;

/// Side of a block, in pixels.
const BLOCK: u64 = 8;

/// Finds the parts of a file that begins with a JPEG. Each byte is read once.
///
/// # Errors
///
/// The errors of [`Parts::find`].
pub fn parts(file: &[u8]) -> Result<Parts, ImageError> {
    let mut parts = Parts::empty();
    let mut count = PartCount::default();
    let mut frame = Frame::default();
    let mut profile = ProfileSegments::default();
    let mut offset = 0;
    loop {
        let (marker, begin) = next_marker(file, offset).ok_or_else(cut_off)?;
        count.add()?;
        let segment = segment(file, marker, begin).ok_or_else(cut_off)?;
        // A marker without a length has only two bytes.
        let content = &file[(begin + 4).min(segment.end)..segment.end];
        offset = segment.end;
        match marker {
            END => {
                parts.end = offset;
                parts.decoded.add(segment.clone());
                parts.shown.add(segment);
                break;
            }
            0xC0..=0xCF if !TABLES.contains(&marker) => frame.read(marker, content, &mut parts),
            SCAN => {
                frame.add_scan(content)?;
                offset = end_of_scan(file, offset);
            }
            _ if TABLES.contains(&marker) => frame.add_tables(content)?,
            0xE1 if parts.orientation == Orientation::NoTransforms => {
                let exif = content.strip_prefix(b"Exif\0\0");
                let orientation = exif.and_then(Orientation::from_exif_chunk);
                parts.orientation = orientation.unwrap_or(Orientation::NoTransforms);
            }
            0xE2 => profile.add(content, segment.end),
            0xEE if content.starts_with(b"Adobe") => frame.has_adobe = true,
            _ => {}
        }
        let whole = begin..offset;
        if is_decoded(marker, content) {
            parts.decoded.add(whole.clone());
        }
        if affects_display(marker, content) {
            parts.shown.add(whole);
        }
    }
    parts.profile = profile.joined();
    parts.pixel_bytes = if frame.is_grey() { 1 } else { 3 };
    parts.decoder_bytes = parts.decoded.byte_count() as u64 + frame.decoder_bytes(&parts);
    Ok(parts)
}

/// Returns the range of the segment at `begin`, without the pixels that follow a scan header; `None`
/// if it is truncated.
fn segment(file: &[u8], marker: u8, begin: usize) -> Option<Range<usize>> {
    let end = match marker {
        // Markers without a length and content (T.81, B.1.1.3).
        START | END | 0x01 | 0xD0..=0xD7 => begin + 2,
        _ => begin + 2 + usize::from(u16::from_be_bytes(*file.get(begin + 2..)?.first_chunk()?)),
    };
    (end <= file.len()).then_some(begin..end)
}

/// Returns whether a segment affects the display, unlike metadata such as camera, location and
/// rating. Of the application segments, APP0 contains the aspect ratio, APP2 may contain the colour
/// profile, and APP14 the colour transform.
fn affects_display(marker: u8, content: &[u8]) -> bool {
    match marker {
        0xE0 => content.starts_with(b"JFIF\0"),
        0xE2 => content.starts_with(ProfileSegments::NAME),
        0xEE => content.starts_with(b"Adobe"),
        0xE0..=0xEF | COMMENT => false,
        _ => true,
    }
}

/// Returns whether a decoder needs a segment for the pixels. Frames of Motion JPEG omit their tables
/// and rely on the default ones, which their APP0 segment indicates.
fn is_decoded(marker: u8, content: &[u8]) -> bool {
    match marker {
        0xC0..=0xCF | START | SCAN | RESTARTS => true,
        0xE0 => content.starts_with(b"AVI1\0"),
        0xEE => content.starts_with(b"Adobe"),
        _ => TABLES.contains(&marker),
    }
}

/// Returns the next marker at or after `offset`, and its offset. Bytes before it are skipped, as
/// decoders do.
fn next_marker(file: &[u8], offset: usize) -> Option<(u8, usize)> {
    let rest = file.get(offset..)?;
    memchr::memchr_iter(0xFF, rest).find_map(|begin| match rest.get(begin + 1) {
        // FF 00 is a byte of pixels, and any number of FF may precede a marker (T.81, B.1.1).
        None | Some(0 | 0xFF) => None,
        Some(marker) => Some((*marker, offset + begin)),
    })
}

/// Returns the end of the pixels of a pass: the next marker that is not part of them.
fn end_of_scan(file: &[u8], begin: usize) -> usize {
    let pixels = &file[begin..];
    let end = memchr::memchr_iter(0xFF, pixels)
        // D0 to D7 are restart markers, which are part of the pixels.
        .find(|offset| !matches!(pixels.get(offset + 1), None | Some(0 | 0xFF | 0xD0..=0xD7)));
    begin + end.unwrap_or(pixels.len())
}

/// The frame header, and the tables and passes of the frame.
#[derive(Debug, Default)]
struct Frame {
    /// Horizontal and vertical sampling factors of each component.
    components: Vec<(u64, u64)>,
    is_progressive: bool,
    has_adobe: bool,
    /// The number of components in the first pass.
    first_components: usize,
    scans: usize,
    table_bytes: usize,
}

impl Frame {
    fn read(&mut self, marker: u8, content: &[u8], parts: &mut Parts) {
        // Progressive frames: with Huffman and with arithmetic coding, each without and with
        // hierarchy.
        self.is_progressive |= matches!(marker, 0xC2 | 0xC6 | 0xCA | 0xCE);
        // A decoder refuses a second frame header.
        if !self.components.is_empty() {
            return;
        }
        if let Some([_, height @ .., width_high, width_low, _]) = content.first_chunk::<6>() {
            parts.height = u32::from(u16::from_be_bytes(*height));
            parts.width = u32::from(u16::from_be_bytes([*width_high, *width_low]));
        }
        let components = content.get(6..).unwrap_or_default().as_chunks::<3>().0;
        let samples = |byte: u8| (u64::from(byte >> 4).max(1), u64::from(byte & 15).max(1));
        self.components = components
            .iter()
            .take(4)
            .map(|[_, byte, _]| samples(*byte))
            .collect();
    }

    fn add_scan(&mut self, content: &[u8]) -> Result<(), ImageError> {
        if self.scans == 0 {
            self.first_components = content.first().map_or(0, |count| usize::from(*count));
        }
        self.scans += 1;
        if self.scans > SCANS_MAX {
            let why = format!("it has more than {SCANS_MAX} passes");
            return Err(ImageError::TooLarge(why));
        }
        Ok(())
    }

    fn add_tables(&mut self, content: &[u8]) -> Result<(), ImageError> {
        self.table_bytes += content.len();
        if self.table_bytes > TABLE_BYTES_MAX {
            let why = format!("its tables have more than {TABLE_BYTES_MAX} bytes");
            return Err(ImageError::TooLarge(why));
        }
        Ok(())
    }

    fn is_grey(&self) -> bool {
        self.components.len() == 1 && !self.has_adobe
    }

    /// Returns an upper bound for the memory of the decoder in addition to its copy of the file, in
    /// bytes: 16-bit coefficients if several passes contribute to a pixel, and rows of blocks.
    fn decoder_bytes(&self, parts: &Parts) -> u64 {
        let sides = |side: fn(&(u64, u64)) -> u64| self.components.iter().map(side).max();
        let most_wide = sides(|samples| samples.0).unwrap_or(1);
        let most_high = sides(|samples| samples.1).unwrap_or(1);
        let padded = |length: u32, samples: u64| {
            u64::from(length).next_multiple_of(BLOCK * samples) / samples
        };
        let wide = padded(parts.width, most_wide);
        let high = padded(parts.height, most_high);
        let is_buffered = self.is_progressive || self.first_components < self.components.len();
        let component = |(across, down): &(u64, u64)| {
            let stride = wide * across;
            let enlarged = most_wide.div_ceil(*across) * most_high.div_ceil(*down);
            let rows = stride * (20 * down + 2 * down * enlarged + 32 * enlarged);
            let coefficients = if is_buffered {
                2 * stride * high * down
            } else {
                0
            };
            rows + coefficients
        };
        let upsampled = 16 * wide * most_wide;
        upsampled + self.components.iter().map(component).sum::<u64>()
    }
}

/// The colour profile in APP2 segments: each has a number, counted from 1, and the number of all
/// segments.
#[derive(Debug, Default)]
struct ProfileSegments(Vec<(u8, u8, Range<usize>)>);

impl ProfileSegments {
    const NAME: &[u8] = b"ICC_PROFILE\0";

    fn add(&mut self, content: &[u8], end: usize) {
        // There can be at most 255 segments; with more, the profile is invalid.
        if let Some([number, count, profile @ ..]) = content.strip_prefix(Self::NAME)
            && self.0.len() <= usize::from(u8::MAX)
        {
            self.0.push((*number, *count, end - profile.len()..end));
        }
    }

    /// Returns the whole profile; an empty one if a segment is missing or repeated.
    fn joined(mut self) -> ProfileParts {
        self.0.sort_by_key(|(number, ..)| *number);
        let mut profile = ProfileParts::default();
        for (number, (stored, count, range)) in (1..).zip(&self.0) {
            if number != usize::from(*stored) || self.0.len() != usize::from(*count) {
                return ProfileParts::default();
            }
            profile.add(range.clone());
        }
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two passes after a comment and camera metadata, with other bytes after the end.
    const FILE: &[u8] = b"\xFF\xD8\xFF\xE1\x00\x04ab\xFF\xFF\xC2\x00\x02\xFF\xFE\x00\x03c\xFF\xDA\x00\x02x\xFF\x00y\xFF\xD0z\
                          \xFF\xDA\x00\x02w\xFF\xD9behind";

    #[test]
    fn scans_and_the_end_marker_are_found() {
        let found = parts(FILE).unwrap();
        let shown =
            b"\xFF\xD8\xFF\xC2\x00\x02\xFF\xDA\x00\x02x\xFF\x00y\xFF\xD0z\xFF\xDA\x00\x02w\xFF\xD9";
        assert_eq!(&found.shown.of(FILE)[..], shown);
        assert_eq!(&found.decoded.of(FILE)[..], shown);
        assert_eq!(&FILE[found.end..], b"behind");
    }

    #[test]
    fn truncated_file_is_incomplete() {
        let end = FILE.len() - b"behind".len();
        for length in 0..end {
            assert!(parts(&FILE[..length]).is_err(), "{length}");
        }
        assert!(parts(&FILE[..end]).is_ok());
    }

    #[test]
    fn passes_and_tables_are_bounded() {
        let image = |segment: &[u8], count: usize| {
            [b"\xFF\xD8", &segment.repeat(count)[..], b"\xFF\xD9"].concat()
        };
        let scan = b"\xFF\xDA\x00\x03\x01x";
        assert!(parts(&image(scan, SCANS_MAX)).is_ok());
        assert!(parts(&image(scan, SCANS_MAX + 1)).is_err());
        let table = [&b"\xFF\xC4\x04\x02"[..], &[0; 1024]].concat();
        assert!(parts(&image(&table, TABLE_BYTES_MAX >> 10)).is_ok());
        assert!(parts(&image(&table, (TABLE_BYTES_MAX >> 10) + 1)).is_err());
    }
}
