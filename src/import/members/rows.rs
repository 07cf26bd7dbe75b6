//! The rows of a CSV file, one after the other, each within bounds.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use csv::{ErrorKind, ReaderBuilder, StringRecord};

use crate::error::{Error, Kind, Result};

/// Longest row, in bytes. One that goes on is no row: a quotation mark that is never closed makes one of all the rest.
pub const ROW_BYTES_MAX: usize = 256 * 1024;

/// Most rows of one file. What they change is held in memory until it is committed, about a kilobyte for each.
pub const ROWS_MAX: u64 = 100_000;

/// What the reader of the rows takes at a time, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// What may stand between two cells: a comma, and what spreadsheets write where a comma is part of a number.
const DELIMITERS: [u8; 3] = *b",;\t";

/// A file whose first line was looked at already.
type Whole<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// The rows of a file below its header.
pub struct Rows<R: Read> {
    reader: csv::Reader<Bounded<Whole<R>>>,
    header: StringRecord,
    record: StringRecord,
    count: u64,
}

/// A row as it stands in the file.
pub struct RawRow<'a> {
    /// The line that it begins in, counted from 1.
    pub line: u64,
    /// Its cells.
    pub cells: &'a StringRecord,
}

impl<R: Read> Rows<R> {
    /// Reads the header of `file`.
    ///
    /// # Errors
    ///
    /// `Validation` when the file cannot be read, is not UTF-8, or its first row does not end.
    pub fn open(file: R) -> Result<Self> {
        let mut file = BufReader::new(file);
        let mut head = Vec::new();
        file.by_ref()
            .take(ROW_BYTES_MAX as u64)
            .read_until(b'\n', &mut head)
            .map_err(unreadable)?;
        let mut builder = ReaderBuilder::new();
        builder
            .flexible(true)
            .buffer_capacity(BUFFER_BYTES)
            .delimiter(delimiter_of(&head));
        let mut reader = builder.from_reader(Bounded::new(Cursor::new(head).chain(file)));
        let header = reader
            .headers()
            .map_err(|error| explain(&error, 1))?
            .clone();
        Ok(Self {
            reader,
            header,
            record: StringRecord::new(),
            count: 0,
        })
    }

    /// The cells of the first row.
    pub fn header(&self) -> &StringRecord {
        &self.header
    }

    /// How much of the file has been read, in bytes.
    pub fn bytes_done(&self) -> u64 {
        self.reader.position().byte()
    }

    /// The next row; none at the end.
    ///
    /// # Errors
    ///
    /// `Validation` when the file cannot be read, is not UTF-8, or has a row or a number of rows without end.
    pub fn next(&mut self) -> Result<Option<RawRow<'_>>> {
        let line = self.reader.position().line();
        self.reader.get_mut().begin_row();
        let is_row = self
            .reader
            .read_record(&mut self.record)
            .map_err(|error| explain(&error, line))?;
        if !is_row {
            return Ok(None);
        }
        self.count += 1;
        if self.count > ROWS_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("The list has more than {ROWS_MAX} rows."),
            )
            .help("Import it in parts."));
        }
        let line = self.record.position().map_or(line, |place| place.line());
        Ok(Some(RawRow {
            line,
            cells: &self.record,
        }))
    }
}

/// What most often separates cells in the first line.
fn delimiter_of(head: &[u8]) -> u8 {
    let count = |delimiter: u8| head.iter().filter(|&&byte| byte == delimiter).count();
    // The first of those that are equally many wins.
    DELIMITERS
        .into_iter()
        .rev()
        .max_by_key(|&delimiter| count(delimiter))
        .unwrap_or(b',')
}

/// Passes on a file until a row takes more than [`ROW_BYTES_MAX`].
struct Bounded<R> {
    file: R,
    left: usize,
}

/// A row takes more than [`ROW_BYTES_MAX`].
#[derive(Debug, thiserror::Error)]
#[error("a row is longer than {ROW_BYTES_MAX} bytes")]
struct RowTooLong;

impl<R> Bounded<R> {
    fn new(file: R) -> Self {
        let mut bounded = Self { file, left: 0 };
        bounded.begin_row();
        bounded
    }

    fn begin_row(&mut self) {
        // The reader is ahead of the row by what its buffer takes.
        self.left = ROW_BYTES_MAX + BUFFER_BYTES;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        match self.left.checked_sub(read) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(RowTooLong)),
        }
        Ok(read)
    }
}

/// Says what a failure of the reader means for a file whose current row begins in `line`.
fn explain(error: &csv::Error, line: u64) -> Error {
    match error.kind() {
        ErrorKind::Utf8 { pos, .. } => {
            let line = pos.as_ref().map_or(line, |place| place.line());
            Error::new(
                Kind::Validation,
                format!("Line {line} of the list is not UTF-8."),
            )
            .help("Save the list as \"CSV UTF-8\".")
        }
        ErrorKind::Io(error) if error.get_ref().is_some_and(|error| error.is::<RowTooLong>()) => {
            Error::new(
                Kind::Validation,
                format!("The row that begins in line {line} of the list does not end within {ROW_BYTES_MAX} bytes."),
            )
            .help("Look for a quotation mark that is not closed.")
        }
        _ => unreadable(error),
    }
}

fn unreadable(error: impl std::fmt::Display) -> Error {
    Error::new(
        Kind::Validation,
        format!("The list cannot be read: {error}."),
    )
}
