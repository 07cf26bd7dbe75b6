//! How records are kept in the store: a format byte, then JSON.
//!
//! JSON names its fields, so a field can be added with a default and older records stay readable. The format byte is for
//! the day when that is not enough.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    error::{Error, Result},
    id::Id,
    store::{Snapshot, Table},
};

/// The format in which records are written.
const RECORD_FORMAT: u8 = 1;

/// The record cannot be read by this program.
#[derive(Debug, thiserror::Error)]
#[error("a record in the table {table:?} of the store cannot be read: {reason}")]
struct UnreadableRecord {
    table: Table,
    reason: String,
}

/// The bytes of a record.
pub fn encode(record: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = vec![RECORD_FORMAT];
    serde_json::to_writer(&mut bytes, record).map_err(Error::internal)?;
    Ok(bytes)
}

/// The record in these bytes.
///
/// # Errors
///
/// `Internal`, naming the table, when they are of another format.
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

/// A record as the store has it.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'r> {
    /// What it is found by.
    pub key: &'r [u8],
    pub(super) table: Table,
    pub(super) bytes: &'r [u8],
}

impl<'r> Stored<'r> {
    /// The record, which may refer to what is written in the store.
    ///
    /// # Errors
    ///
    /// `Internal`, naming the table, when this program cannot read it.
    pub fn decode<R: Deserialize<'r>>(self) -> Result<R> {
        decode(self.table, self.bytes)
    }

    /// That this program cannot read it, for this reason.
    pub fn unreadable(self, reason: &impl ToString) -> Error {
        Error::internal(UnreadableRecord {
            table: self.table,
            reason: reason.to_string(),
        })
    }
}

/// Hands the records of `table` that `scan` comes upon to `visitor`, until that has enough.
///
/// # Errors
///
/// What `scan` returns, or that a record cannot be read, at which it ends.
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

/// A form in which the body of a post is kept.
#[derive(Clone, Copy, Debug)]
pub enum BodyForm {
    /// What readers get.
    Html,
    /// The editor's document that the HTML was rendered from.
    Lexical,
}

impl BodyForm {
    /// Every form.
    pub const ALL: [Self; 2] = [Self::Html, Self::Lexical];

    /// The key of this form of a post's body.
    pub fn key(self, post: Id) -> Vec<u8> {
        let name: &[u8] = match self {
            Self::Html => b"/html",
            Self::Lexical => b"/lexical",
        };
        [post.as_bytes(), name].concat()
    }
}

/// The body of a post in this form, if it has one.
pub fn read_body(snapshot: &dyn Snapshot, post: Id, form: BodyForm) -> Result<Option<String>> {
    let Some(record) = snapshot.get(Table::Bodies, &form.key(post))? else {
        return Ok(None);
    };
    String::from_utf8(record.bytes)
        .map(Some)
        .map_err(Error::internal)
}

/// Visits the bodies under these keys that there are: the key's place among them, and the text.
pub fn visit_bodies(
    snapshot: &dyn Snapshot,
    keys: &[Vec<u8>],
    mut visit: impl FnMut(usize, &str),
) -> Result<()> {
    let mut outcome = Ok(());
    snapshot.visit_each(
        Table::Bodies,
        keys,
        &mut |place, bytes| match str::from_utf8(bytes) {
            Ok(text) => visit(place, text),
            Err(error) => outcome = Err(Error::internal(error)),
        },
    )?;
    outcome
}
