//! The kinds of files that are accepted as uploads, by name and first bytes.

use std::path::Path;

use crate::images::ImageKind;

/// Bytes that identify the type of an audio or video file.
pub const MEDIA_HEAD_BYTES: u64 = 64;

/// Bytes that identify the type of another file.
pub const FILE_HEAD_BYTES: u64 = 1024;

/// Extensions of files that are zip archives.
const ARCHIVES: [&str; 9] = [
    "zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "jar",
];

/// A type of audio or video file.
pub struct MediaKind {
    /// The file name extension.
    pub extension: &'static str,
    /// Accepted media types (Ghost 6.65).
    pub media_types: &'static [&'static str],
    /// Returns whether content begins like this type.
    pub matches: fn(&[u8]) -> bool,
}

impl MediaKind {
    /// Returns the type that has this media type.
    pub fn of_type(media_type: &str) -> Option<&'static Self> {
        let mut kinds = KINDS.iter();
        kinds.find(|kind| kind.media_types.contains(&media_type))
    }

    /// Returns the type for a file name by its extension, ignoring case.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        let extension = Path::new(name).extension()?;
        let mut kinds = KINDS.iter();
        kinds.find(|kind| extension.eq_ignore_ascii_case(kind.extension))
    }
}

static KINDS: [MediaKind; 7] = [
    MediaKind {
        extension: "mp4",
        media_types: &["video/mp4"],
        matches: is_mp4,
    },
    MediaKind {
        extension: "webm",
        media_types: &["video/webm"],
        matches: |head| head.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]),
    },
    MediaKind {
        extension: "ogv",
        media_types: &["video/ogg"],
        matches: |head| head.starts_with(b"OggS"),
    },
    MediaKind {
        extension: "mp3",
        media_types: &["audio/mpeg"],
        matches: is_mp3,
    },
    MediaKind {
        extension: "wav",
        media_types: &["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wav"],
        matches: |head| head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WAVE"),
    },
    MediaKind {
        extension: "ogg",
        media_types: &["audio/ogg", "video/ogg"],
        matches: |head| head.starts_with(b"OggS"),
    },
    MediaKind {
        extension: "m4a",
        media_types: &["audio/mp4", "audio/x-m4a"],
        matches: is_mp4,
    },
];

fn is_mp4(head: &[u8]) -> bool {
    head.get(4..8) == Some(b"ftyp")
}

/// Returns whether the file begins with ID3 tags, or with the eleven sync bits of a frame.
fn is_mp3(head: &[u8]) -> bool {
    head.starts_with(b"ID3") || matches!(head, [0xFF, second, ..] if second & 0xE0 == 0xE0)
}

/// Returns whether a file with this name may begin with these bytes. Most types cannot be checked.
pub fn can_be(name: &str, head: &[u8]) -> bool {
    let extension = Path::new(name).extension().and_then(|part| part.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    match (extension.as_str(), ImageKind::of_name(name)) {
        // PDF readers accept the signature anywhere in the first bytes.
        ("pdf", _) => memchr::memmem::find(head, b"%PDF-").is_some(),
        (_, Some(ImageKind::CompressedSvg)) => head.starts_with(&[0x1F, 0x8B]),
        (_, Some(ImageKind::Svg)) | (_, None) if !ARCHIVES.contains(&extension.as_str()) => true,
        (_, None) => head.starts_with(b"PK"),
        (_, Some(kind)) => ImageKind::of_content(head) == Some(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_contradict_the_content_are_detected() {
        assert!(can_be("a.PDF", b"%PDF-1.7") && !can_be("a.pdf", b"<html>"));
        assert!(can_be("a.docx", b"PK\x03\x04") && !can_be("a.docx", b"words"));
        assert!(can_be("a.png", b"\x89PNG\r\n\x1a\n") && !can_be("a.png", b"GIF89a"));
        for name in ["a.txt", "a.csv", "a", "a.svg", "a.unheard-of"] {
            assert!(can_be(name, b"whatever"), "{name}");
        }
    }

    #[test]
    fn types_are_detected_by_the_first_bytes() {
        let is_kind = |extension: &str, head: &[u8]| {
            let kind = KINDS.iter().find(|kind| kind.extension == extension);
            (kind.unwrap().matches)(head)
        };
        assert!(is_kind("mp4", b"\0\0\0\x20ftypisom"));
        assert!(is_kind("mp3", b"ID3\x04") && is_kind("mp3", &[0xFF, 0xFB, 0x90]));
        assert!(is_kind("wav", b"RIFF\0\0\0\0WAVE"));
        for kind in &KINDS {
            for other in [&b""[..], b"<html>", b"RIFF\0\0\0\0WEBP", b"\x89PNG"] {
                assert!(!(kind.matches)(other), "{}", kind.extension);
            }
        }
    }
}
