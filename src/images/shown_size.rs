//! The size of an image, read from the first bytes of its file.
//!
//! Unlike [`Header`](super::Header), this reads only a part of the file and does not determine whether the image is
//! complete.

use std::{fs::File, os::unix::fs::FileExt};

use image::metadata::Orientation;

use super::{
    header::is_on_its_side,
    kind::{Format, ImageKind},
};

/// Number of bytes at the beginning of a file that contain the size, except for JPEG and SVG.
const BEGINNING: usize = 64;

/// Maximum number of segments before the frame of a JPEG.
const SEGMENTS_MAX: usize = 256;

/// Number of bytes at the beginning of an SVG image that are searched.
const SVG_BYTES_MAX: usize = 16 << 10;

/// Returns the displayed width and height of an image in pixels; `None` if they cannot be determined.
pub fn shown_size(file: &File) -> Option<(u32, u32)> {
    let beginning = read(file, 0, BEGINNING)?;
    let size = match ImageKind::of_content(&beginning) {
        Some(ImageKind::Raster(Format::Png)) => (be_u32(&beginning, 16)?, be_u32(&beginning, 20)?),
        Some(ImageKind::Raster(Format::Gif)) => (le_u16(&beginning, 6)?, le_u16(&beginning, 8)?),
        Some(ImageKind::Raster(Format::Webp)) => webp(&beginning)?,
        Some(ImageKind::Raster(Format::Jpeg)) => jpeg(file)?,
        Some(ImageKind::Ico) => icon(&beginning)?,
        _ => svg(&read(file, 0, SVG_BYTES_MAX)?)?,
    };
    (size.0 > 0 && size.1 > 0).then_some(size)
}

/// Returns up to `length` bytes at an offset.
fn read(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file
            .read_at(&mut bytes[filled..], offset + filled as u64)
            .ok()?
        {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Some(bytes)
}

fn be_u32(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(offset..)?.first_chunk()?))
}

fn be_u16(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u16::from_be_bytes(*bytes.get(offset..)?.first_chunk()?).into())
}

fn le_u16(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u16::from_le_bytes(*bytes.get(offset..)?.first_chunk()?).into())
}

/// Returns the size of a WebP (RFC 9649, sections 2.5 to 2.7).
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |offset: usize| {
        Some(le_u16(bytes, offset)? + (u32::from(*bytes.get(offset + 2)?) << 16) + 1)
    };
    match bytes.get(12..16)? {
        b"VP8X" => Some((side(24)?, side(27)?)),
        b"VP8 " => Some((le_u16(bytes, 26)? & 0x3FFF, le_u16(bytes, 28)? & 0x3FFF)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(*bytes.get(21..)?.first_chunk()?);
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => None,
    }
}

/// Returns the size of the largest image of an icon, among those whose entries are in `bytes`.
fn icon(bytes: &[u8]) -> Option<(u32, u32)> {
    let count = usize::try_from(le_u16(bytes, 4)?).ok()?;
    let entries = bytes.get(6..)?.chunks_exact(16).take(count);
    // A side of 256 is written as 0.
    let side = |side: u8| if side == 0 { 256 } else { u32::from(side) };
    entries.map(|entry| (side(entry[0]), side(entry[1]))).max()
}

/// Returns the size of a JPEG, from its frame header and the orientation that precedes it.
fn jpeg(file: &File) -> Option<(u32, u32)> {
    let mut offset = 2;
    let mut orientation = Orientation::NoTransforms;
    for _ in 0..SEGMENTS_MAX {
        let header = read(file, offset, 9)?;
        let (&[0xFF, marker], length) = (header.first_chunk()?, u64::from(be_u16(&header, 2)?))
        else {
            return None;
        };
        match marker {
            // C4 and CC contain tables, and C8 is reserved (T.81, table B.1).
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                let (width, height) = (be_u16(&header, 7)?, be_u16(&header, 5)?);
                let size = if is_on_its_side(orientation) {
                    (height, width)
                } else {
                    (width, height)
                };
                return Some(size);
            }
            0xE1 => {
                let segment = read(file, offset + 4, usize::try_from(length).ok()?)?;
                let exif = segment
                    .strip_prefix(b"Exif\0\0")
                    .and_then(Orientation::from_exif_chunk);
                orientation = exif.unwrap_or(orientation);
            }
            _ => {}
        }
        offset += 2 + length;
    }
    None
}

/// Returns the size of an SVG image: its width and height if they are in pixels, else those of its view box.
fn svg(bytes: &[u8]) -> Option<(u32, u32)> {
    let text = String::from_utf8_lossy(bytes);
    let tag = text.split_once("<svg")?.1.split_once('>')?.0;
    let attribute = |name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}="))?;
        let quote = rest
            .chars()
            .next()
            .filter(|mark| matches!(mark, '"' | '\''))?;
        rest[1..].split_once(quote).map(|(value, _)| value)
    };
    let pixels = |value: &str| value.trim().trim_end_matches("px").parse::<f64>().ok();
    let view_box: Vec<f64> = attribute("viewBox")
        .map(|value| value.split([' ', ',']).filter_map(pixels).collect())
        .unwrap_or_default();
    let (width, height) = (
        attribute("width").and_then(pixels),
        attribute("height").and_then(pixels),
    );
    let (box_width, box_height) = (view_box.get(2).copied(), view_box.get(3).copied());
    let ratio = box_width
        .zip(box_height)
        .map(|(width, height)| width / height);
    let (width, height) = match (width, height) {
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, width / ratio?),
        (None, Some(height)) => (height * ratio?, height),
        (None, None) => (box_width?, box_height?),
    };
    Some((width.round() as u32, height.round() as u32))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn size_of(content: &[u8]) -> Option<(u32, u32)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        shown_size(&file)
    }

    #[test]
    fn sizes_are_read_from_headers() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x06\x40\0\0\x03\x84";
        assert_eq!(size_of(png), Some((1600, 900)));
        assert_eq!(size_of(b"GIF89a\x05\0\x04\0"), Some((5, 4)));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC2\0\x11\x08\0\x20\0\x30\x03";
        assert_eq!(size_of(jpeg), Some((48, 32)));
        assert_eq!(
            size_of(b"\0\0\x01\0\x02\0\x10\x10aaaaaaaaaaaaaa\x30\x30aaaaaaaaaaaaaa"),
            Some((48, 48))
        );
        assert_eq!(
            size_of(b"RIFFaaaaWEBPVP8Xaaaaaaaa\x63\0\0\x31\0\0"),
            Some((100, 50))
        );
        assert_eq!(
            size_of(b"<?xml version='1.0'?><svg width=\"30px\" viewBox='0 0 20 10'>"),
            Some((30, 15))
        );
    }

    #[test]
    fn broken_files_have_no_size() {
        for content in [
            &b""[..],
            b"text",
            b"\x89PNG\r\n\x1a\n",
            b"\xFF\xD8\xFF\xE0",
            b"<svg width='100%'>",
            "<svg width=é height=é>".as_bytes(),
        ] {
            assert_eq!(size_of(content), None, "{content:?}");
        }
    }
}
