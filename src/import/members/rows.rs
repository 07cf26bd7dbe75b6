//! Streams the rows of a CSV file, each of bounded length.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use csv::{ErrorKind, ReaderBuilder, StringRecord};

use crate::error::{Error, Kind, Result};

/// Longest row, in bytes. An unclosed quotation mark turns the rest of a file into one row.
pub const ROW_BYTES_MAX: usize = 256 * 1024;

/// Maximum number of rows in one file. Their changes are held in memory until the commit, about a kilobyte
/// for each.
pub const ROWS_MAX: u64 = 100_000;

/// Buffer size of the CSV reader, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// Delimiters between cells: a comma, and those of spreadsheets in locales where a comma is part of a number.
const DELIMITERS: [u8; 3] = *b",;\t";

/// A file whose first line was read ahead, to detect the delimiter.
type PeekedFile<R> = Chain<Cursor<Vec<u8>>, BufReader<R>>;

/// The rows of a file below its header.
pub struct MemberRows<R: Read> {
    reader: csv::Reader<RowLimitedReader<PeekedFile<R>>>,
    header: StringRecord,
    record: StringRecord,
    count: u64,
}

/// The unparsed cells of a row.
pub struct RawRow<'a> {
    /// The line in which it begins, from 1.
    pub line: u64,
    /// Its cells.
    pub cells: &'a StringRecord,
}

impl<R: Read> MemberRows<R> {
    /// Reads the header of `file`.
    ///
    /// # Errors
    ///
    /// `Validation` if the file cannot be read, is not UTF-8, or its first row does not end.
    pub fn open(file: R) -> Result<Self> {
        let mut file = BufReader::new(file);
        let mut head = Vec::new();
        file.by_ref()
            .take(ROW_BYTES_MAX as u64)
            .read_until(b'\n', &mut head)
            .map_err(unreadable)?;
        let mut builder = ReaderBuilder::new();
        builder
            // Otherwise a row with another number of cells would be an error of the whole list.
            .flexible(true)
            .buffer_capacity(BUFFER_BYTES)
            .delimiter(delimiter_of(&head));
        let mut reader = builder.from_reader(RowLimitedReader::new(Cursor::new(head).chain(file)));
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

    /// Returns the cells of the first row.
    pub fn header(&self) -> &StringRecord {
        &self.header
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_done(&self) -> u64 {
        self.reader.position().byte()
    }

    /// Returns the next row; `None` at the end.
    ///
    /// # Errors
    ///
    /// `Validation` if the file cannot be read, is not UTF-8, or exceeds the length or number of rows.
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
        let line = self
            .record
            .position()
            .map_or(line, |position| position.line());
        Ok(Some(RawRow {
            line,
            cells: &self.record,
        }))
    }
}

/// Returns the most frequent delimiter in the first line; the first of [`DELIMITERS`] if several are as
/// frequent.
fn delimiter_of(head: &[u8]) -> u8 {
    let count = |delimiter: u8| head.iter().filter(|&&byte| byte == delimiter).count();
    // `max_by_key` returns the last maximum, so the order is reversed to prefer the first delimiter.
    DELIMITERS
        .into_iter()
        .rev()
        .max_by_key(|&delimiter| count(delimiter))
        .unwrap_or(b',')
}

/// Reads a file, and fails when a row exceeds [`ROW_BYTES_MAX`].
struct RowLimitedReader<R> {
    file: R,
    remaining: usize,
}

/// A row that exceeds [`ROW_BYTES_MAX`].
#[derive(Debug, thiserror::Error)]
#[error("a row is longer than {ROW_BYTES_MAX} bytes")]
struct RowTooLong;

impl<R> RowLimitedReader<R> {
    fn new(file: R) -> Self {
        let mut bounded = Self { file, remaining: 0 };
        bounded.begin_row();
        bounded
    }

    fn begin_row(&mut self) {
        // The CSV reader reads ahead of the row by its buffer size.
        self.remaining = ROW_BYTES_MAX + BUFFER_BYTES;
    }
}

impl<R: Read> Read for RowLimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        match self.remaining.checked_sub(read) {
            Some(remaining) => self.remaining = remaining,
            None => return Err(io::Error::other(RowTooLong)),
        }
        Ok(read)
    }
}

/// Returns the error for a failure of the reader at a row that begins in `line`.
fn explain(error: &csv::Error, line: u64) -> Error {
    match error.kind() {
        ErrorKind::Utf8 { pos, .. } => {
            let line = pos.as_ref().map_or(line, |position| position.line());
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
            .help("Check for an unclosed quotation mark.")
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
