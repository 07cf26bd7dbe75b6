//! Colour profiles (ICC.1): reads a profile within limits, and converts pixels to sRGB.
//!
//! A profile may be compressed, and may list the same bytes thousands of times as different tables
//! and texts, which the reader then copies. So it is decompressed up to a limit, and the reader gets
//! only the tables that the conversion needs, each of them once.

use std::{borrow::Cow, io::Read, ops::Range};

use flate2::read::ZlibDecoder;
use image::DynamicImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::ImageError;

/// Maximum size of a decompressed colour profile, in bytes. Profiles of cameras and screens have a
/// few kilobytes, those of printers up to four megabytes.
pub const PROFILE_BYTES_MAX: usize = 4 << 20;

/// Number of bytes before the list of tables.
const HEADER_BYTES: usize = 128;

/// Size of an entry in the list of tables, in bytes: a kind, an offset and a length.
const ENTRY_BYTES: usize = 12;

/// The tables that a conversion needs: primary colours and curves, or a table of colours.
const TABLES: [&[u8; 4]; 12] = [
    b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC", b"wtpt", b"chad", b"cicp", b"A2B0",
    b"A2B1", b"A2B2",
];

/// Memory that a conversion takes, in bytes for each byte of the profile: the profile, its essential
/// tables, and those once more as numbers of 16 and of 32 bits.
pub const MEMORY_FACTOR: u64 = 16;

/// A colour profile in a file, as the ranges of its pieces.
#[derive(Debug, Clone, Default)]
pub struct ProfileParts {
    pieces: Vec<Range<usize>>,
    stored_bytes: usize,
    is_compressed: bool,
}

impl ProfileParts {
    /// Creates a profile that is compressed with zlib.
    pub fn compressed(range: Range<usize>) -> Self {
        Self {
            stored_bytes: range.len(),
            pieces: vec![range],
            is_compressed: true,
        }
    }

    /// Adds a piece. Bytes beyond [`PROFILE_BYTES_MAX`] are only counted.
    pub fn add(&mut self, range: Range<usize>) {
        self.stored_bytes += range.len();
        if self.stored_bytes <= PROFILE_BYTES_MAX {
            self.pieces.push(range);
        }
    }

    /// Returns whether there is no profile.
    pub fn is_empty(&self) -> bool {
        self.stored_bytes == 0
    }

    /// Returns the decompressed size of the profile in `file`, in bytes, without holding it in
    /// memory.
    ///
    /// # Errors
    ///
    /// `TooLarge` if it has more than [`PROFILE_BYTES_MAX`].
    pub fn byte_count(&self, file: &[u8]) -> Result<usize, ImageError> {
        let bytes = match &self.pieces[..] {
            [range] if self.is_compressed => {
                let mut inflated = ZlibDecoder::new(&file[range.clone()]).take(read_max());
                let mut buffer = [0; 8 << 10];
                let mut bytes = 0;
                // A damaged profile is counted up to the damage; it is ignored later.
                while let Ok(read @ 1..) = inflated.read(&mut buffer) {
                    bytes += read;
                }
                bytes
            }
            _ => self.stored_bytes,
        };
        if bytes > PROFILE_BYTES_MAX {
            return Err(ImageError::TooLarge(format!(
                "its colour profile has more than {} MB",
                PROFILE_BYTES_MAX >> 20
            )));
        }
        Ok(bytes)
    }

    /// Returns the decompressed profile in `file`; `None` if there is no profile or it cannot be
    /// read.
    pub fn read<'a>(&self, file: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match &self.pieces[..] {
            [] => None,
            [range] if self.is_compressed => {
                let mut profile = Vec::new();
                let mut inflated = ZlibDecoder::new(&file[range.clone()]).take(read_max());
                inflated.read_to_end(&mut profile).ok()?;
                (profile.len() <= PROFILE_BYTES_MAX).then_some(Cow::Owned(profile))
            }
            [range] => Some(Cow::Borrowed(&file[range.clone()])),
            ranges => {
                let pieces = ranges.iter().map(|range| &file[range.clone()]);
                Some(Cow::Owned(pieces.collect::<Vec<_>>().concat()))
            }
        }
    }
}

/// Number of bytes to read of a compressed profile: one more than the limit.
fn read_max() -> u64 {
    PROFILE_BYTES_MAX as u64 + 1
}

/// Returns the profile reduced to the tables that the conversion to sRGB needs; `None` if it is
/// damaged.
fn essential(profile: &[u8]) -> Option<Vec<u8>> {
    let header = profile.get(..HEADER_BYTES)?;
    let count = u32::from_be_bytes(*profile.get(HEADER_BYTES..)?.first_chunk()?) as usize;
    let entries = profile
        .get(HEADER_BYTES + 4..)?
        .as_chunks::<ENTRY_BYTES>()
        .0;
    let mut tables: Vec<(&[u8], &[u8])> = Vec::new();
    // The count in the file may be any number; the bytes of the list limit the loop.
    for [kind @ .., o0, o1, o2, o3, l0, l1, l2, l3] in entries.iter().take(count) {
        let is_needed = TABLES.contains(&kind);
        if !is_needed || tables.iter().any(|(other, _)| *other == kind) {
            continue;
        }
        let begin = u32::from_be_bytes([*o0, *o1, *o2, *o3]) as usize;
        let length = u32::from_be_bytes([*l0, *l1, *l2, *l3]) as usize;
        tables.push((kind, profile.get(begin..begin.checked_add(length)?)?));
    }
    // The tables of the three colours may share bytes.
    let bytes: usize = tables.iter().map(|(_, table)| table.len()).sum();
    if bytes > 3 * profile.len() {
        return None;
    }
    let mut list = u32::try_from(tables.len()).ok()?.to_be_bytes().to_vec();
    let mut content = Vec::new();
    let begin = HEADER_BYTES + list.len() + ENTRY_BYTES * tables.len();
    for (kind, table) in tables {
        let offset = u32::try_from(begin + content.len()).ok()?;
        let length = u32::try_from(table.len()).ok()?;
        list.extend_from_slice(kind);
        list.extend_from_slice(&offset.to_be_bytes());
        list.extend_from_slice(&length.to_be_bytes());
        content.extend_from_slice(table);
        // Tables begin at multiples of four bytes (ICC.1), with zeros in between.
        content.resize(content.len().next_multiple_of(4), 0);
    }
    let mut essential = [header, &list, &content].concat();
    let length = u32::try_from(essential.len()).ok()?;
    essential[..4].copy_from_slice(&length.to_be_bytes());
    Some(essential)
}

/// Converts pixels with this profile to sRGB. A profile that is not for RGB does not apply to
/// the decoded pixels, so it is ignored, and so is one that cannot be read.
pub fn to_srgb(image: &mut DynamicImage, profile: &[u8]) {
    let Some(profile) = essential(profile) else {
        return;
    };
    let Ok(profile) = ColorProfile::new_from_slice(&profile) else {
        return;
    };
    // Such as the profile of a CMYK image, which the decoder has converted to RGB.
    if profile.color_space != DataColorSpace::Rgb {
        return;
    }
    let converted = |pixels: &[u8], layout: Layout| -> Option<Vec<u8>> {
        let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
        let transform = profile
            .create_transform_8bit(layout, &srgb, layout, options)
            .ok()?;
        let mut converted = vec![0; pixels.len()];
        transform.transform(pixels, &mut converted).ok()?;
        Some(converted)
    };
    match image {
        DynamicImage::ImageRgb8(pixels) => {
            if let Some(converted) = converted(pixels, Layout::Rgb) {
                pixels.copy_from_slice(&converted);
            }
        }
        DynamicImage::ImageRgba8(pixels) => {
            if let Some(converted) = converted(pixels, Layout::Rgba) {
                pixels.copy_from_slice(&converted);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::ZlibEncoder};

    use super::*;

    /// Returns a profile with these tables, several of which may be the same bytes.
    fn listing(profile: &[u8], entries: &[(&[u8; 4], usize, usize)]) -> Vec<u8> {
        let mut listed = profile[..HEADER_BYTES].to_vec();
        listed.extend_from_slice(&u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (kind, offset, length) in entries {
            listed.extend_from_slice(*kind);
            for number in [offset, length] {
                listed.extend_from_slice(&u32::try_from(*number).unwrap().to_be_bytes());
            }
        }
        listed
    }

    #[test]
    fn profile_is_bounded_once_it_is_expanded() {
        let compressed = |bytes: usize| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&vec![0; bytes]).unwrap();
            encoder.finish().unwrap()
        };
        for (bytes, is_accepted) in [(PROFILE_BYTES_MAX, true), (PROFILE_BYTES_MAX + 1, false)] {
            let file = compressed(bytes);
            let profile = ProfileParts::compressed(0..file.len());
            assert_eq!(profile.byte_count(&file).is_ok(), is_accepted, "{bytes}");
            assert_eq!(profile.read(&file).is_some(), is_accepted, "{bytes}");
            let mut profile = ProfileParts::default();
            for number in 0..8 {
                profile.add(bytes * number / 8..bytes * (number + 1) / 8);
            }
            assert_eq!(profile.byte_count(&[]).is_ok(), is_accepted, "{bytes}");
        }
        let mut damaged = compressed(1 << 20);
        damaged.truncate(200);
        let profile = ProfileParts::compressed(0..damaged.len());
        assert!(profile.byte_count(&damaged).is_ok() && profile.read(&damaged).is_none());
    }

    #[test]
    fn essential_tables_convert_as_the_whole_profile_does() {
        let profile = ColorProfile::new_display_p3();
        let encoded = profile.encode().unwrap();
        let reduced = essential(&encoded).unwrap();
        assert!(reduced.len() < encoded.len());
        let reduced = ColorProfile::new_from_slice(&reduced).unwrap();
        let convert = |profile: &ColorProfile| {
            let options = TransformOptions::default();
            let srgb = ColorProfile::new_srgb();
            let transform = profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, options);
            let mut converted = vec![0; 3];
            transform
                .unwrap()
                .transform(&[200, 40, 90], &mut converted)
                .unwrap();
            converted
        };
        assert_eq!(convert(&reduced), convert(&profile));
        assert_ne!(convert(&reduced), [200, 40, 90]);
    }

    #[test]
    fn tables_that_share_bytes_are_read_once_or_not_at_all() {
        let encoded = ColorProfile::new_display_p3().encode().unwrap();
        let length = 100_000;
        let mut entries = vec![(b"A2B0", 132, length); 2_000];
        entries.extend(vec![(b"desc", 132, length); 2_000]);
        let mut hostile = listing(&encoded, &entries);
        hostile.resize(132 + length, 0);
        assert!(essential(&hostile).unwrap().len() < 2 * length);
        let entries = [b"rTRC", b"gTRC", b"bTRC", b"A2B0"].map(|kind| (kind, 132, length));
        let mut hostile = listing(&encoded, &entries);
        hostile.resize(132 + length, 0);
        assert!(essential(&hostile).is_none());
    }
}
