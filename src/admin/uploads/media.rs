//! Uploads of audio and video, and thumbnails of videos.

use std::{fs::File, io::Read, path::Path};

use super::{
    DeclaredUpload, Folders, folder_of_month,
    folders::Companion,
    images::{Purpose, prepare},
    names::FileName,
    wrong_kind,
};
use crate::{
    atomic_file::AtomicFile,
    error::{Error, Result},
    images::Memory,
    site::Site,
};

/// A type of media file.
struct MediaKind {
    extension: &'static str,
    /// Accepted media types (Ghost 6.65).
    media_types: &'static [&'static str],
    /// Returns whether content begins like this type.
    is_it: fn(&[u8]) -> bool,
}

/// Bytes that identify the type of a file.
const HEAD_BYTES: u64 = 64;

const KINDS: [MediaKind; 7] = [
    MediaKind {
        extension: "mp4",
        media_types: &["video/mp4"],
        is_it: is_mp4,
    },
    MediaKind {
        extension: "webm",
        media_types: &["video/webm"],
        is_it: |head| head.starts_with(&[0x1A, 0x45, 0xDF, 0xA3]),
    },
    MediaKind {
        extension: "ogv",
        media_types: &["video/ogg"],
        is_it: |head| head.starts_with(b"OggS"),
    },
    MediaKind {
        extension: "mp3",
        media_types: &["audio/mpeg"],
        is_it: is_mp3,
    },
    MediaKind {
        extension: "wav",
        media_types: &["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wav"],
        is_it: |head| head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WAVE"),
    },
    MediaKind {
        extension: "ogg",
        media_types: &["audio/ogg", "video/ogg"],
        is_it: |head| head.starts_with(b"OggS"),
    },
    MediaKind {
        extension: "m4a",
        media_types: &["audio/mp4", "audio/x-m4a"],
        is_it: is_mp4,
    },
];

fn is_mp4(head: &[u8]) -> bool {
    head.get(4..8) == Some(b"ftyp")
}

/// Returns whether the file begins with ID3 tags, or with the eleven bits of a frame.
fn is_mp3(head: &[u8]) -> bool {
    head.starts_with(b"ID3") || matches!(head, [0xFF, second, ..] if second & 0xE0 == 0xE0)
}

/// The thumbnail of a video.
#[derive(Debug, Clone, Copy)]
pub struct Thumbnail<'a> {
    /// Its declared name and type.
    pub declared: DeclaredUpload<'a>,
    /// Its content.
    pub content: &'a [u8],
}

/// The paths of a stored media file and its thumbnail, among the uploads.
#[derive(Debug, PartialEq, Eq)]
pub struct StoredMedia {
    /// `media/2026/11/ferry.mp4`
    pub path: String,
    /// `media/2026/11/ferry_thumb.png`
    pub thumbnail: Option<String>,
}

/// Stores an audio or video file, and its thumbnail.
///
/// # Errors
///
/// `UnsupportedMediaType` if it is neither, or of another type than declared; for the thumbnail as
/// [`images::upload`](super::images::upload).
pub fn upload(
    site: &Site,
    folders: Folders,
    memory: &Memory,
    declared: DeclaredUpload,
    file: &AtomicFile,
    thumbnail: Option<Thumbnail>,
) -> Result<StoredMedia> {
    check(declared, file.path())?;
    let thumbnail = match thumbnail {
        Some(thumbnail) => Some((thumbnail.declared, made(folders, memory, thumbnail)?)),
        None => None,
    };
    let named = |declared: &DeclaredUpload, of: &FileName| thumbnail_name(declared, of);
    let name_of_thumbnail = |video: &FileName| {
        let declared = thumbnail.as_ref().map(|(declared, _)| declared);
        declared.map_or_else(String::new, |declared| named(declared, video))
    };
    let companion = thumbnail.as_ref().map(|(_, file)| Companion {
        file,
        name: &name_of_thumbnail,
    });
    let folder = folder_of_month(site, "media");
    let name = folders.keep(&folder, &FileName::safe(declared.name), file, companion)?;
    Ok(StoredMedia {
        path: format!("{folder}/{}", name.with("")),
        thumbnail: thumbnail.map(|(declared, _)| format!("{folder}/{}", named(&declared, &name))),
    })
}

/// Stores a thumbnail for the video at `video`, a path among the uploads, in place of its
/// current one; returns the path of the thumbnail.
///
/// # Errors
///
/// `NotFound` if there is no such video; else as [`images::upload`](super::images::upload).
pub fn replace_thumbnail(
    folders: Folders,
    memory: &Memory,
    video: &str,
    thumbnail: Thumbnail,
) -> Result<String> {
    let place = Path::new(video);
    let name = place.file_name().and_then(|name| name.to_str());
    let (Some(folder), Some(name)) = (place.parent().and_then(Path::to_str), name) else {
        return Err(video_not_found());
    };
    if !folders.uploads.has(video).map_err(Error::internal)? {
        return Err(video_not_found());
    }
    let name = thumbnail_name(&thumbnail.declared, &FileName::safe(name));
    // Local copies of files in a bucket are right only because names get no other content.
    let name = match folders.uploads.bucket() {
        Some(_) => FileName::safe(&name).unique().with(""),
        None => name,
    };
    let path = format!("{folder}/{name}");
    let made = made(folders, memory, thumbnail)?;
    let replaced = folders.uploads.replace(made, &path);
    let recorded = replaced.and_then(|()| folders.uploads.settle());
    recorded.map_err(Error::internal)?;
    Ok(path)
}

/// Returns the error for a video that does not exist.
pub fn video_not_found() -> Error {
    Error::not_found("audio or video file").property("url")
}

/// Returns the name of a video's thumbnail.
fn thumbnail_name(declared: &DeclaredUpload, video: &FileName) -> String {
    let image = FileName::safe(declared.name);
    format!("{}_thumb{}", video.stem, image.extension)
}

fn made(folders: Folders, memory: &Memory, thumbnail: Thumbnail) -> Result<AtomicFile> {
    let (declared, content) = (thumbnail.declared, thumbnail.content);
    let prepared = prepare(memory, declared, content, Purpose::Image)?;
    let incoming = folders.uploads.incoming_with(&prepared.served);
    incoming.map_err(Error::internal)
}

fn check(declared: DeclaredUpload, file: &Path) -> Result<()> {
    const MEDIA: &str = "an audio or video file: .mp4, .webm, .ogv, .mp3, .wav, .ogg or .m4a";
    let extension = Path::new(declared.name).extension().unwrap_or_default();
    let kind = KINDS
        .iter()
        .find(|kind| extension.eq_ignore_ascii_case(kind.extension))
        .filter(|kind| kind.media_types.contains(&declared.kind))
        .ok_or_else(|| wrong_kind(declared, MEDIA))?;
    let mut head = Vec::new();
    File::open(file)
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .map_err(Error::internal)?;
    if (kind.is_it)(&head) {
        Ok(())
    } else {
        Err(wrong_kind(declared, "of the kind that its name says"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_detected_by_the_first_bytes() {
        let is_kind = |extension: &str, head: &[u8]| {
            let kind = KINDS.iter().find(|kind| kind.extension == extension);
            (kind.unwrap().is_it)(head)
        };
        assert!(is_kind("mp4", b"\0\0\0\x20ftypisom"));
        assert!(is_kind("mp3", b"ID3\x04") && is_kind("mp3", &[0xFF, 0xFB, 0x90]));
        assert!(is_kind("wav", b"RIFF\0\0\0\0WAVE"));
        for kind in KINDS {
            for other in [&b""[..], b"<html>", b"RIFF\0\0\0\0WEBP", b"\x89PNG"] {
                assert!(!(kind.is_it)(other), "{}", kind.extension);
            }
        }
    }
}
