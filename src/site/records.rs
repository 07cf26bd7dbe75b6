//! The encoding of records in the store: a format byte, then JSON.
//!
//! JSON names its fields, so fields can be added with a default and older records stay readable.
//! The format byte is reserved for incompatible changes.

use std::{
    io::{Read, Write},
    ops::{ControlFlow, RangeInclusive},
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    domain::post_revision::PostRevision,
    error::{Error, Result},
    id::Id,
    render::lexical::DOCUMENT_BYTES_MAX,
    store::{Keys, Snapshot, Table},
};

/// Format in which records are written.
const RECORD_FORMAT: u8 = 1;

/// A record that this program cannot read.
#[derive(Debug, thiserror::Error)]
#[error("a record in the table {table:?} of the store cannot be read: {reason}")]
struct UnreadableRecord {
    table: Table,
    reason: String,
}

/// Returns the bytes of a record.
pub fn encode(record: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = vec![RECORD_FORMAT];
    serde_json::to_writer(&mut bytes, record).map_err(Error::internal)?;
    Ok(bytes)
}

/// Decodes a record.
///
/// # Errors
///
/// `Internal`, naming the table, if the bytes have a different format.
pub fn decode<'r, R: Deserialize<'r>>(table: Table, bytes: &'r [u8]) -> Result<R> {
    let unreadable = |reason: String| Error::internal(UnreadableRecord { table, reason });
    match bytes.split_first() {
        Some((&RECORD_FORMAT, json)) => {
            serde_json::from_slice(json).map_err(|error| unreadable(error.to_string()))
        }
        Some((format, _)) => Err(unreadable(format!(
            "format {format} is not known to this version of Galley"
        ))),
        None => Err(unreadable("it is empty".to_owned())),
    }
}

/// A stored record: key, revision and bytes.
#[derive(Clone, Copy, Debug)]
pub struct StoredRecord<'r> {
    /// Its key.
    pub key: &'r [u8],
    pub(super) table: Table,
    pub(super) bytes: &'r [u8],
}

impl<'r> StoredRecord<'r> {
    /// Returns the record, which may borrow from the stored bytes.
    ///
    /// # Errors
    ///
    /// `Internal`, naming the table, if this program cannot read it.
    pub fn decode<R: Deserialize<'r>>(self) -> Result<R> {
        decode(self.table, self.bytes)
    }

    /// Returns the error for a record that cannot be read, with the reason.
    pub fn unreadable(self, reason: &impl ToString) -> Error {
        Error::internal(UnreadableRecord {
            table: self.table,
            reason: reason.to_string(),
        })
    }
}

/// Decodes the records of `table` that `scan` finds and passes them to `visitor`, until `visitor`
/// breaks.
///
/// # Errors
///
/// The error of `scan`, or the error for a record that cannot be read, which ends the scan.
pub fn visit<R: DeserializeOwned>(
    table: Table,
    mut visitor: impl FnMut(R) -> ControlFlow<()>,
    scan: impl FnOnce(&mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    scan(&mut |bytes| match decode(table, bytes) {
        Ok(record) => visitor(record),
        Err(error) => {
            outcome = Err(error);
            ControlFlow::Break(())
        }
    })?;
    outcome
}

/// A form in which the body of a post is stored.
#[derive(Clone, Copy, Debug)]
pub enum BodyForm {
    /// The HTML that is served to readers.
    Html,
    /// The editor's document that the HTML was rendered from.
    Lexical,
}

impl BodyForm {
    /// All forms.
    pub const ALL: [Self; 2] = [Self::Html, Self::Lexical];

    /// Returns the key of this form of a post's body.
    pub fn key(self, post: Id) -> Vec<u8> {
        let name: &[u8] = match self {
            Self::Html => b"/html",
            Self::Lexical => b"/lexical",
        };
        [post.as_bytes(), name].concat()
    }

    /// Returns the bytes that are stored for a body. Editor documents are compressed: their JSON
    /// has much overhead around each text, and no reader waits for them.
    pub fn stored(self, text: String) -> Vec<u8> {
        match self {
            Self::Lexical if COMPRESSED_BYTES.contains(&text.len()) => compressed(&text),
            Self::Html | Self::Lexical => text.into_bytes(),
        }
    }

    /// Returns the body from its stored bytes, decompressed if necessary.
    ///
    /// # Errors
    ///
    /// If the bytes are neither valid UTF-8 nor a compressed document.
    pub fn read(self, bytes: Vec<u8>) -> Result<String> {
        match (self, bytes.strip_prefix(&[COMPRESSED])) {
            (Self::Lexical, Some(compressed)) => decompressed(compressed),
            _ => String::from_utf8(bytes).map_err(Error::internal),
        }
    }
}

/// First byte of a compressed document. No JSON begins with it.
const COMPRESSED: u8 = 1;

/// Minimum length of documents that are compressed, in bytes: compressing shorter ones saves
/// nothing.
const COMPRESSED_BYTES: RangeInclusive<usize> = 2048..=DOCUMENT_BYTES_MAX;

fn compressed(text: &str) -> Vec<u8> {
    let mut bytes = vec![COMPRESSED];
    let mut encoder = DeflateEncoder::new(&mut bytes, Compression::fast());
    let written = encoder.write_all(text.as_bytes());
    match written.and_then(|()| encoder.try_finish()) {
        Ok(()) => {}
        // Writing to memory cannot fail.
        Err(error) => unreachable!("{error}"),
    }
    drop(encoder);
    bytes
}

fn decompressed(compressed: &[u8]) -> Result<String> {
    let mut text = String::new();
    let decoder = DeflateDecoder::new(compressed);
    // No longer document is ever compressed. The limit bounds the memory that a damaged one needs.
    let mut decoder = decoder.take(DOCUMENT_BYTES_MAX as u64);
    decoder.read_to_string(&mut text).map_err(Error::internal)?;
    Ok(text)
}

/// Visits the HTML that exists under these keys, with the index of each key.
pub fn visit_bodies(
    snapshot: &dyn Snapshot,
    keys: &[Vec<u8>],
    mut visit: impl FnMut(usize, &str),
) -> Result<()> {
    let mut outcome = Ok(());
    snapshot.visit_each(
        Table::Bodies,
        keys,
        &mut |index, bytes| match str::from_utf8(bytes) {
            Ok(text) => visit(index, text),
            // `visit_each` cannot be ended by its visitor, so the remaining bodies are visited as
            // well.
            Err(error) => outcome = Err(Error::internal(error)),
        },
    )?;
    outcome
}

/// Visits all records of a table until one cannot be read.
pub fn visit_all(
    snapshot: &dyn Snapshot,
    table: Table,
    mut visitor: impl FnMut(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    snapshot.scan(
        table,
        &Keys::all(),
        &mut |key, _revision, bytes| match visitor(key, bytes) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                outcome = Err(error);
                ControlFlow::Break(())
            }
        },
    )?;
    outcome
}

/// Returns the key of a revision's document.
pub(super) fn document_key(revision: &PostRevision) -> Vec<u8> {
    let document = revision.document_id();
    [
        revision.post.as_bytes().as_slice(),
        b"/",
        document.as_bytes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_and_uncompressed_documents_read_back_unchanged() {
        let long = format!("{{\"root\":[{}1]}}", "1,".repeat(5000));
        for text in ["{}", "", &long] {
            for form in BodyForm::ALL {
                let stored = form.stored(text.to_owned());
                assert_eq!(form.read(stored).unwrap(), text);
                // Bytes of an earlier version.
                assert_eq!(form.read(text.as_bytes().to_vec()).unwrap(), text);
            }
        }
        assert!(BodyForm::Lexical.stored(long.clone()).len() < long.len() / 10);
        assert_eq!(BodyForm::Html.stored(long.clone()), long.as_bytes());
        assert!(BodyForm::Lexical.read(vec![COMPRESSED, 255, 255]).is_err());
    }
}
