//! Checks by its first bytes whether a file of a content folder matches its name.
//!
//! A hard link or a copy can make a document, the store or a backup available under the name of an
//! image. A file is not served if its first bytes identify another kind. A file of an unknown kind is
//! served only if it has no other hard links; the list of video and audio formats is not complete.
//! Verdicts are cached with the identity of the file, so that each version of a file is read only once.

use std::{
    fs::{File, Metadata},
    hash::{BuildHasher, RandomState},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{content_files::public_files::AssetKind, images::ImageKind};

/// Length of the inspected beginning of a file, in bytes.
const HEAD_BYTES: usize = 4096;

/// Capacity of the verdict cache.
const VERDICTS: usize = 4096;

/// The bit of a cached verdict that is set if the file may be served.
const IS_SERVED: u64 = 1;

static VERDICT_CACHE: LazyLock<Verdicts> = LazyLock::new(Verdicts::new);

/// Returns whether the contents of a file match the kind that its `name` declares. The first rejection
/// of a file is logged.
///
/// # Errors
///
/// If the file cannot be read.
pub fn is_as_named(file: &File, name: &str) -> io::Result<bool> {
    // Downloads may be of any kind. SVG images are checked as a whole when they are cleaned.
    let Some(kind) = AssetKind::of(name).filter(|kind| *kind != AssetKind::Download) else {
        return Ok(true);
    };
    if is_svg(name) {
        return Ok(true);
    }
    let metadata = file.metadata()?;
    if let Some(verdict) = VERDICT_CACHE.get(kind, &metadata) {
        return Ok(verdict);
    }
    let mut head = vec![0; HEAD_BYTES];
    // Does not move the file offset, so that the file is still served from its beginning.
    let count = file.read_at(&mut head, 0)?;
    head.truncate(count);
    let is_served = match Content::of(&head) {
        Content::Other => false,
        Content::Unknown => metadata.nlink() == 1,
        found => found.fits(kind),
    };
    if !is_served {
        tracing::warn!(
            file = name,
            "file of the content folder not served: its content does not match its name"
        );
    }
    VERDICT_CACHE.put(kind, &metadata, is_served);
    Ok(is_served)
}

/// Returns whether the name of the file at this path is that of an SVG image.
pub fn is_svg(path: &str) -> bool {
    let kind = ImageKind::of_name(path);
    matches!(kind, Some(ImageKind::Svg | ImageKind::CompressedSvg))
}

/// A fixed-size cache of verdicts. A new verdict overwrites the earlier one in the same slot.
struct Verdicts {
    hasher: RandomState,
    slots: Box<[AtomicU64]>,
}

impl Verdicts {
    fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            slots: (0..VERDICTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn get(&self, kind: AssetKind, metadata: &Metadata) -> Option<bool> {
        let identity = self.identity(kind, metadata);
        // `Relaxed` suffices: a slot contains identity and verdict in one word, so no other memory
        // depends on it.
        let cached = self.slot(identity).load(Ordering::Relaxed);
        (cached & !IS_SERVED == identity).then_some(cached & IS_SERVED != 0)
    }

    fn put(&self, kind: AssetKind, metadata: &Metadata, is_served: bool) {
        let identity = self.identity(kind, metadata);
        let verdict = if is_served {
            identity | IS_SERVED
        } else {
            identity
        };
        self.slot(identity).store(verdict, Ordering::Relaxed);
    }

    fn slot(&self, identity: u64) -> &AtomicU64 {
        // The lowest bit of an identity is always 0, so it would leave half of the slots unused.
        &self.slots[(identity >> 1) as usize % VERDICTS]
    }

    /// Returns a hash of the file's version. A new hard link changes the file's ctime.
    fn identity(&self, kind: AssetKind, metadata: &Metadata) -> u64 {
        let version = (
            (kind as u8, metadata.dev(), metadata.ino(), metadata.len()),
            (metadata.mtime(), metadata.mtime_nsec()),
            (metadata.ctime(), metadata.ctime_nsec()),
        );
        self.hasher.hash_one(version) & !IS_SERVED
    }
}

/// The kind of a file according to its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// An image.
    Image,
    /// Video or audio.
    Media,
    /// A container format for images, video and audio.
    ImageOrMedia,
    /// A font or a PDF.
    Document,
    /// Text, an archive, a store or a program.
    Other,
    /// An unknown format.
    Unknown,
}

impl Content {
    fn of(head: &[u8]) -> Self {
        let is_any = |marks: &[&[u8]]| marks.iter().any(|mark| head.starts_with(mark));
        let at = |offset: usize, mark: &[u8]| {
            head.get(offset..)
                .is_some_and(|rest| rest.starts_with(mark))
        };
        // Text is recognised before images and media, whose marks may be short: a document may
        // begin with `BM` or `ID3`. WebP is recognised before other RIFF files.
        if is_any(&[PDF]) {
            Self::Document
        } else if is_any(OTHERS) || at(257, b"ustar") || is_text(head) {
            Self::Other
        } else if is_any(IMAGES) || (is_any(&[b"RIFF"]) && at(8, b"WEBP")) {
            Self::Image
        } else if is_any(&[b"RIFF", b"FORM"]) || is_any(MEDIA) {
            Self::Media
        } else if at(4, b"ftyp") {
            Self::ImageOrMedia
        } else if is_any(FONTS) {
            Self::Document
        } else {
            Self::Unknown
        }
    }

    fn fits(self, kind: AssetKind) -> bool {
        match self {
            Self::Image => kind == AssetKind::Image,
            Self::Media => kind == AssetKind::Media,
            Self::ImageOrMedia => matches!(kind, AssetKind::Image | AssetKind::Media),
            Self::Document => kind == AssetKind::Document,
            Self::Other | Self::Unknown => false,
        }
    }
}

/// First bytes of images.
const IMAGES: &[&[u8]] = &[
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"\0\0\x01\0",
    b"\0\0\x02\0",
    b"BM",
    b"II*\0",
    b"MM\0*",
    b"II+\0",
    b"MM\0+",
    b"\xff\x0a",
    b"\0\0\0\x0cJXL ",
];

/// First bytes of video and audio.
const MEDIA: &[&[u8]] = &[
    b"\x1aE\xdf\xa3",
    b"OggS",
    b"fLaC",
    b"ID3",
    b"MThd",
    b"ADIF",
    b"\xff\xe2",
    b"\xff\xe3",
    b"\xff\xf1",
    b"\xff\xf2",
    b"\xff\xf3",
    b"\xff\xf9",
    b"\xff\xfa",
    b"\xff\xfb",
    b"\0\0\x01\xb3",
    b"\0\0\x01\xba",
];

/// First bytes of a PDF. They are compared first, because a PDF may otherwise look like text.
const PDF: &[u8] = b"%PDF-";

/// First bytes of fonts.
const FONTS: &[&[u8]] = &[b"wOFF", b"wOF2", b"OTTO", b"ttcf", b"true", b"\0\x01\0\0\0"];

/// First bytes of archives, stores (Galley's own among them) and programs.
const OTHERS: &[&[u8]] = &[
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"\x28\xb5\x2f\xfd",
    b"\xfd7zXZ\0",
    b"7z\xbc\xaf\x27\x1c",
    b"BZh",
    b"Rar!",
    b"redb",
    b"SQLite format 3\0",
    b"\x7fELF",
];

/// Returns whether the bytes are text with at least one line break: UTF-8 without control characters
/// other than line breaks and tabs. The last character may be truncated.
fn is_text(head: &[u8]) -> bool {
    let text = match str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let is_of_text =
        |character: char| !character.is_control() || matches!(character, '\n' | '\r' | '\t');
    text.contains('\n') && text.chars().all(is_of_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_determine_the_content_type() {
        for (head, content) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], Content::Image),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Content::Image),
            (b"RIFF\x24\0\0\0WAVEfmt ", Content::Media),
            (b"\0\0\0\x20ftypavif", Content::ImageOrMedia),
            (b"ID3\x04", Content::Media),
            (b"%PDF-1.7\n%\xe2\xe3", Content::Document),
            (b"title = \"x\"\n", Content::Other),
            ("---\r\ntitle: \u{e4}\n\u{e4}".as_bytes(), Content::Other),
            (b"PK\x03\x04\x14", Content::Other),
            (b"redb\x1a\n\xa9\r\n", Content::Other),
            (b"GALLEY", Content::Unknown),
            (b"", Content::Unknown),
            (b"\x47\x40\x11\x10\n", Content::Unknown),
        ] {
            assert_eq!(Content::of(head), content, "{head:?}");
        }
        let cut = &"a\n\u{e4}".as_bytes()[..3];
        assert_eq!(Content::of(cut), Content::Other);
    }
}
