//! Whether a file of a content folder is what its name says, by its first bytes.
//!
//! A hard link or a copy puts a text, the store or a backup under the name of a picture. What its first bytes say to be
//! something else is not served. What they do not say is served if the file has one name only: there are more kinds of video
//! and audio than are known here. A verdict is kept with the identity of the file, so that a file is read once for each of
//! its versions.

use std::{
    fs::{File, Metadata},
    hash::{BuildHasher, RandomState},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::sources::public_files::AssetKind;

/// How much of a file is looked at, in bytes.
const HEAD_BYTES: u64 = 4096;

/// How many verdicts are kept.
const VERDICTS: usize = 4096;

/// The bit of a kept verdict that is set for a file that is served.
const IS_SERVED: u64 = 1;

static VERDICTS_KEPT: LazyLock<Verdicts> = LazyLock::new(Verdicts::new);

/// Whether the file at `path`, which is called `name` and has this `metadata`, may be served as what its name says. The first
/// time that one is not, that is logged.
///
/// # Errors
///
/// When the file cannot be read.
pub fn is_as_named(path: &Path, name: &str, metadata: &Metadata) -> io::Result<bool> {
    // Downloads are of any kind, and drawings are read as a whole when they are cleaned.
    let Some(kind) = AssetKind::of(name).filter(|kind| *kind != AssetKind::Download) else {
        return Ok(true);
    };
    if super::files::is_svg(name) {
        return Ok(true);
    }
    if let Some(verdict) = VERDICTS_KEPT.get(kind, metadata) {
        return Ok(verdict);
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    let is_served = match Content::of(&head) {
        Content::Other => false,
        Content::Unknown => metadata.nlink() == 1,
        found => found.fits(kind),
    };
    if !is_served {
        tracing::warn!(
            file = name,
            "a file of the content folder is not served: it is not what its name says"
        );
    }
    VERDICTS_KEPT.keep(kind, metadata, is_served);
    Ok(is_served)
}

/// Verdicts on files, the newest of those that have the same place.
struct Verdicts {
    hasher: RandomState,
    places: Box<[AtomicU64]>,
}

impl Verdicts {
    fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            places: (0..VERDICTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn get(&self, kind: AssetKind, metadata: &Metadata) -> Option<bool> {
        let identity = self.identity(kind, metadata);
        let kept = self.place(identity).load(Ordering::Relaxed);
        (kept & !IS_SERVED == identity).then_some(kept & IS_SERVED != 0)
    }

    fn keep(&self, kind: AssetKind, metadata: &Metadata, is_served: bool) {
        let identity = self.identity(kind, metadata);
        let verdict = if is_served {
            identity | IS_SERVED
        } else {
            identity
        };
        self.place(identity).store(verdict, Ordering::Relaxed);
    }

    fn place(&self, identity: u64) -> &AtomicU64 {
        &self.places[(identity >> 1) as usize % VERDICTS]
    }

    /// Which version of which file it is. Another name for a file changes the time of its change.
    fn identity(&self, kind: AssetKind, metadata: &Metadata) -> u64 {
        let version = (
            (kind as u8, metadata.dev(), metadata.ino(), metadata.len()),
            (metadata.mtime(), metadata.mtime_nsec()),
            (metadata.ctime(), metadata.ctime_nsec()),
        );
        self.hasher.hash_one(version) & !IS_SERVED
    }
}

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// An image.
    Image,
    /// Video or audio.
    Media,
    /// A container of images, or of video and audio.
    ImageOrMedia,
    /// A font or a PDF.
    Document,
    /// Lines of text, an archive, a store, a program: nothing of these.
    Other,
    /// Nothing that is known here.
    Unknown,
}

impl Content {
    fn of(head: &[u8]) -> Self {
        let is_any = |marks: &[&[u8]]| marks.iter().any(|mark| head.starts_with(mark));
        let at = |place: usize, mark: &[u8]| {
            head.get(place..).is_some_and(|rest| rest.starts_with(mark))
        };
        if is_any(&[PDF]) {
            Self::Document
        } else if is_any(OTHERS) || at(257, b"ustar") || are_lines(head) {
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

/// How images begin.
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

/// How video and audio begin.
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

/// How a PDF begins, which may be text.
const PDF: &[u8] = b"%PDF-";

/// How fonts begin.
const FONTS: &[&[u8]] = &[b"wOFF", b"wOF2", b"OTTO", b"ttcf", b"true", b"\0\x01\0\0\0"];

/// How archives, stores and programs begin, that of Galley among them.
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

/// Whether it is text with a line that ends: UTF-8 without control characters, the last character perhaps cut off.
fn are_lines(head: &[u8]) -> bool {
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
    fn the_first_bytes_say_what_a_file_is() {
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
