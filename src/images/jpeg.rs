//! The segments of a JPEG (ITU-T T.81, annex B), for properties that its decoder does not report.
//!
//! The decoder shows an incomplete image as far as it goes, and takes twice the memory for a
//! progressive one without reporting that first.

/// The properties of a JPEG by its segments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// Whether the image comes in several passes.
    pub is_progressive: bool,
    /// Whether the end is present.
    pub is_complete: bool,
    /// The segments that determine the display, each from its marker to the next one.
    pub shown: Vec<std::ops::Range<usize>>,
}

/// Start of image.
const START: u8 = 0xD8;
/// End of image.
const END: u8 = 0xD9;
/// Start of scan: the pixels of a pass.
const SCAN: u8 = 0xDA;
/// A comment.
const COMMENT: u8 = 0xFE;

/// Reads the segments of a file, which begins with a JPEG. Each byte is read once.
pub fn structure(file: &[u8]) -> Structure {
    let mut structure = Structure::default();
    let mut place = 0;
    while let Some((marker, begin)) = next_marker(file, place) {
        let content = begin + 2;
        let end = match marker {
            END => {
                structure.is_complete = true;
                structure.shown.push(begin..content);
                return structure;
            }
            START | 0x01 | 0xD0..=0xD7 => content,
            _ => match file.get(content..content + 2) {
                Some(length) => content + usize::from(u16::from_be_bytes([length[0], length[1]])),
                None => return structure,
            },
        };
        if end > file.len() {
            return structure;
        }
        let end = match marker {
            SCAN => end_of_scan(file, end),
            _ => end,
        };
        // Markers of progressive frames: Huffman and arithmetic coding, without and with hierarchy.
        structure.is_progressive |= matches!(marker, 0xC2 | 0xC6 | 0xCA | 0xCE);
        if affects_display(marker, &file[content..end]) {
            structure.shown.push(begin..end);
        }
        place = end;
    }
    structure
}

/// Returns whether a segment determines the display, unlike metadata such as camera, location and
/// rating. Of the application segments, APP0 contains the aspect ratio, APP2 may contain the colour
/// profile, APP14 the colour transform.
fn affects_display(marker: u8, segment: &[u8]) -> bool {
    let content = segment.get(2..).unwrap_or_default();
    match marker {
        0xE0 => content.starts_with(b"JFIF\0"),
        0xE2 => content.starts_with(b"ICC_PROFILE\0"),
        0xEE => content.starts_with(b"Adobe"),
        0xE0..=0xEF | COMMENT => false,
        _ => true,
    }
}

/// Returns the next marker at or after `place`, and its position. Bytes before it are skipped, as
/// decoders do.
fn next_marker(file: &[u8], place: usize) -> Option<(u8, usize)> {
    let rest = file.get(place..)?;
    memchr::memchr_iter(0xFF, rest).find_map(|begin| match rest.get(begin + 1) {
        None | Some(0 | 0xFF) => None,
        Some(marker) => Some((*marker, place + begin)),
    })
}

/// Returns the end of a pass's pixels: the next marker that does not belong to them.
fn end_of_scan(file: &[u8], begin: usize) -> usize {
    let pixels = &file[begin..];
    let end = memchr::memchr_iter(0xFF, pixels)
        .find(|place| !matches!(pixels.get(place + 1), None | Some(0 | 0xFF | 0xD0..=0xD7)));
    begin + end.unwrap_or(pixels.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two passes after a comment and camera metadata, with other bytes after the end.
    const FILE: &[u8] = b"\xFF\xD8\xFF\xE1\x00\x04ab\xFF\xFF\xC2\x00\x02\xFF\xFE\x00\x03c\xFF\xDA\x00\x02x\xFF\x00y\xFF\xD0z\
                          \xFF\xDA\x00\x02w\xFF\xD9behind";

    #[test]
    fn scans_and_the_end_marker_are_found() {
        let found = structure(FILE);
        assert!(found.is_progressive && found.is_complete);
        let shown: Vec<u8> = found
            .shown
            .into_iter()
            .flat_map(|range| FILE[range].to_vec())
            .collect();
        assert_eq!(
            shown,
            b"\xFF\xD8\xFF\xC2\x00\x02\xFF\xDA\x00\x02x\xFF\x00y\xFF\xD0z\xFF\xDA\x00\x02w\xFF\xD9"
        );
    }

    #[test]
    fn truncated_file_is_incomplete() {
        let end = FILE.len() - b"behind".len();
        for length in 0..end {
            assert!(!structure(&FILE[..length]).is_complete, "{length}");
        }
        assert!(structure(&FILE[..end]).is_complete);
    }
}
