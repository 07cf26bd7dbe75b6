//! Verifies that an object is the upload that was stored under its name.
//!
//! The length and the SHA-256 of an upload are recorded outside of the bucket when it is put into
//! the bucket. An object without a record, stored by an earlier version or another program, must at
//! least have the length and the entity tag that the service reports, and content that does not
//! contradict its name. It gets a record if its entity tag proves that its content is what the
//! service received.

use std::{
    io::{self, Read, Write},
    mem,
};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use md5::Md5;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{bucket, outbound::ObjectResponse};

/// Maximum length of an object without a record, in bytes.
const UNRECORDED_BYTES_MAX: u64 = 64 << 30;

/// Size of the read buffer, in bytes.
const CHUNK_BYTES: usize = 128 * 1024;

/// Number of bytes at the beginning that identify a kind of file.
const HEAD_BYTES: usize = 512;

/// Extensions of files that never contain text.
const BINARY_EXTENSIONS: [&str; 20] = [
    "apng", "avif", "docx", "epub", "gif", "ico", "jpeg", "jpg", "m4a", "m4v", "mkv", "mp3", "mp4",
    "ogg", "ogv", "png", "wav", "webm", "webp", "zip",
];

/// Extensions of files that may be web pages.
const PAGE_EXTENSIONS: [&str; 5] = ["html", "htm", "xhtml", "txt", "md"];

/// The record of an object stored under the name of an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadRecord {
    /// The length in bytes.
    pub bytes: u64,
    /// The SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
}

impl UploadRecord {
    /// Returns the record for the bytes read from `content`.
    ///
    /// # Errors
    ///
    /// If `content` cannot be read.
    pub fn of(content: impl Read) -> io::Result<Self> {
        let mut hashes = Hashes::default();
        copy(content, u64::MAX, &mut hashes, &mut io::sink()).map_err(|error| match error {
            VerifyError::Read(error) | VerifyError::Write(error) => error,
            VerifyError::Damaged(why) => io::Error::other(why),
        })?;
        Ok(hashes.record())
    }
}

/// An object that was received.
pub(super) struct Received {
    pub record: UploadRecord,
    /// True if the content is proven to be that of the stored object.
    pub is_proven: bool,
}

/// The reason why an object could not be received.
pub(super) enum VerifyError {
    /// The object differs from the stored one.
    Damaged(String),
    /// The content ended early.
    Read(io::Error),
    /// The content cannot be written to the output.
    Write(io::Error),
}

/// Copies the object of the upload `name` to `out`. If this fails, the content of `out` must not be
/// used.
///
/// # Errors
///
/// `Damaged` if the object differs from `record` or, without a record, cannot have the type that
/// its name indicates.
pub(super) fn receive(
    name: &str,
    record: Option<&UploadRecord>,
    object: ObjectResponse,
    out: &mut dyn Write,
) -> Result<Received, VerifyError> {
    match record {
        Some(record) => receive_recorded(record, object, out),
        None => receive_unrecorded(name, object, out),
    }
}

fn receive_recorded(
    record: &UploadRecord,
    object: ObjectResponse,
    out: &mut dyn Write,
) -> Result<Received, VerifyError> {
    let expected = record.bytes;
    // Refused before it is read.
    if let Some(bytes) = object.bytes.filter(|bytes| *bytes != expected) {
        return Err(VerifyError::Damaged(format!(
            "it has {bytes} bytes instead of {expected}"
        )));
    }
    let mut hashes = Hashes::default();
    copy(object.body, expected, &mut hashes, out)?;
    let found = hashes.record();
    if found.bytes != expected {
        let bytes = found.bytes;
        return Err(VerifyError::Damaged(format!(
            "it has {bytes} bytes instead of {expected}"
        )));
    }
    if found.sha256 != record.sha256 {
        let why = "its content differs from the upload".to_owned();
        return Err(VerifyError::Damaged(why));
    }
    Ok(Received {
        record: found,
        is_proven: true,
    })
}

fn receive_unrecorded(
    name: &str,
    object: ObjectResponse,
    out: &mut dyn Write,
) -> Result<Received, VerifyError> {
    let damaged = |why: &str| VerifyError::Damaged(why.to_owned());
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    let may_be_page = PAGE_EXTENSIONS.contains(&&*extension);
    // The length and the hash would be those of the encoded content.
    if object.is_encoded {
        return Err(damaged("it has a content encoding"));
    }
    let bytes = object.bytes.ok_or_else(|| damaged("it has no length"))?;
    if bytes > UNRECORDED_BYTES_MAX {
        return Err(damaged("it is too long"));
    }
    let mut hashes = Hashes {
        // Galley sends large files in parts of this length, and the tag of such an object depends
        // on it.
        md5: Some(PartHashes::new(bucket::part_bytes(bytes))),
        ..Hashes::default()
    };
    copy(object.body, bytes, &mut hashes, out)?;
    if hashes.bytes != bytes {
        return Err(damaged(
            "its length differs from the one reported by the service",
        ));
    }
    if bucket::is_page(&hashes.head) && !may_be_page {
        return Err(damaged("it is a web page"));
    }
    if is_text(&hashes.head) && BINARY_EXTENSIONS.contains(&&*extension) {
        return Err(damaged(
            "it is text, but its name is not that of a text file",
        ));
    }
    let computed = hashes.md5.take().map(PartHashes::etag).unwrap_or_default();
    // The entity tag of an object that the service has encrypted is not a hash of its content.
    let etag = object.etag.filter(|_| !object.is_encrypted);
    let etag = etag.map(|etag| etag.trim_matches('"').to_ascii_lowercase());
    let is_proven = etag.as_deref() == Some(computed.as_str());
    // Another form of tag proves nothing: services are free to choose it, for example for objects
    // sent in other parts.
    if !is_proven && etag.is_some_and(|etag| is_hash(&etag)) {
        return Err(damaged("its content does not match its entity tag"));
    }
    Ok(Received {
        record: hashes.record(),
        is_proven,
    })
}

/// Returns whether an entity tag is the MD5 of an object that was sent in a single request.
fn is_hash(etag: &str) -> bool {
    etag.len() == 32 && HEXLOWER_PERMISSIVE.decode(etag.as_bytes()).is_ok()
}

fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character may be truncated.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid.contains(|c: char| c.is_control() && !c.is_ascii_whitespace())
}

/// Copies `content`, which must have at most `bytes_max` bytes.
fn copy(
    mut content: impl Read,
    bytes_max: u64,
    hashes: &mut Hashes,
    out: &mut dyn Write,
) -> Result<(), VerifyError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = match content.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count.map_err(VerifyError::Read)?,
        };
        if count == 0 {
            return Ok(());
        }
        hashes.update(&chunk[..count]);
        // Checked before the bytes are written, so that a service cannot fill the disk.
        if hashes.bytes > bytes_max {
            return Err(VerifyError::Damaged(format!(
                "it has more than {bytes_max} bytes"
            )));
        }
        out.write_all(&chunk[..count]).map_err(VerifyError::Write)?;
    }
}

/// The hashes of an object's content.
#[derive(Default)]
struct Hashes {
    bytes: u64,
    sha256: Sha256,
    head: Vec<u8>,
    /// The hashes of parts that entity tags consist of, if they are needed.
    md5: Option<PartHashes>,
}

impl Hashes {
    fn update(&mut self, chunk: &[u8]) {
        self.bytes += chunk.len() as u64;
        self.sha256.update(chunk);
        let missing = HEAD_BYTES.saturating_sub(self.head.len());
        self.head.extend(chunk.iter().take(missing));
        if let Some(md5) = &mut self.md5 {
            md5.update(chunk);
        }
    }

    fn record(self) -> UploadRecord {
        UploadRecord {
            bytes: self.bytes,
            sha256: HEXLOWER.encode(&self.sha256.finalize()),
        }
    }
}

/// The hashes that the entity tag of an object consists of: of the whole, or of each part.
struct PartHashes {
    part_bytes: Option<u64>,
    missing: u64,
    part: Md5,
    parts: u64,
    whole: Md5,
}

impl PartHashes {
    fn new(part_bytes: Option<u64>) -> Self {
        Self {
            part_bytes,
            missing: part_bytes.unwrap_or_default(),
            part: Md5::new(),
            parts: 0,
            whole: Md5::new(),
        }
    }

    fn update(&mut self, mut chunk: &[u8]) {
        let Some(part_bytes) = self.part_bytes else {
            return self.whole.update(chunk);
        };
        while !chunk.is_empty() {
            let count = usize::try_from(self.missing).unwrap_or(usize::MAX);
            let (part, rest) = chunk.split_at(count.min(chunk.len()));
            self.part.update(part);
            self.missing -= part.len() as u64;
            chunk = rest;
            if self.missing == 0 {
                self.end_part();
                self.missing = part_bytes;
            }
        }
    }

    fn end_part(&mut self) {
        let part = mem::take(&mut self.part);
        self.whole.update(part.finalize());
        self.parts += 1;
    }

    /// Returns the entity tag without its quotation marks.
    fn etag(mut self) -> String {
        if self.part_bytes.is_some_and(|bytes| self.missing < bytes) {
            self.end_part();
        }
        let whole = HEXLOWER.encode(&self.whole.finalize());
        match self.part_bytes {
            // The format of S3: the MD5 of the MD5s of the parts, and their number.
            Some(_) => format!("{whole}-{}", self.parts),
            None => whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the entity tag according to the definition of S3.
    fn by_definition(content: &[u8], part_bytes: usize) -> String {
        let parts = content.chunks(part_bytes);
        let hashes: Vec<u8> = parts.clone().flat_map(Md5::digest).collect();
        let count = parts.count();
        format!("{}-{count}", HEXLOWER.encode(&Md5::digest(hashes)))
    }

    #[test]
    fn entity_tag_is_that_of_the_parts() {
        let content: Vec<u8> = (0..1000_u32).map(|number| number as u8).collect();
        for part_bytes in [250, 300, 1000, 2000] {
            for chunk in [1, 7, 250, 1000] {
                let mut hashes = PartHashes::new(Some(part_bytes as u64));
                content.chunks(chunk).for_each(|chunk| hashes.update(chunk));
                assert_eq!(hashes.etag(), by_definition(&content, part_bytes));
            }
        }
        let mut whole = PartHashes::new(None);
        whole.update(b"a");
        assert_eq!(whole.etag(), "0cc175b9c0f1b6a831c399e269772661");
    }

    #[test]
    fn web_pages_and_texts_are_recognised() {
        for page in ["<!DOCTYPE html><p>", "\u{feff}\n <html lang=en>", "<HEAD>"] {
            assert!(bucket::is_page(page.as_bytes()), "{page}");
            assert!(is_text(page.as_bytes()), "{page}");
        }
        assert!(!bucket::is_page(b"<svg xmlns"));
        assert!(is_text("cut: \u{e9}".as_bytes().split_last().unwrap().1));
        for content in [
            &b"\x89PNG\r\n\x1a\n"[..],
            b"\0\0\0\x20ftypisom",
            b"PK\x03\x04",
            b"\xff\xd8",
        ] {
            assert!(!is_text(content), "{content:?}");
        }
    }
}
