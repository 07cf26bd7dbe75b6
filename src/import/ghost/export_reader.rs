//! Streams an export: locates its tables and passes their rows to a visitor.
//!
//! Ghost writes `{"db": [{"meta": …, "data": {table: [row, …], …}}]}`; other programs omit `db`. Tables come in any
//! order.

use std::io::Read;

use super::json_stream::{JsonStream, StreamError};

/// Longest row, in bytes of JSON: a post with a few inline images in its body, twice.
pub const ROW_BYTES_MAX: usize = 32 << 20;

/// Longest `meta` object of an export, in bytes of JSON.
const META_BYTES_MAX: usize = 64 << 10;

/// The reason why an export is rejected.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The document is malformed between rows.
    #[error("{}{source}", in_table(.table))]
    Broken {
        /// The table that was being read, and the number of the row, from 1.
        table: Option<(String, u64)>,
        /// The error.
        source: StreamError,
    },
    /// A row is not JSON.
    #[error("{}it is not JSON: {reason} (the row begins at byte {offset})", in_table(&Some((table.clone(), *number))))]
    BrokenRow {
        /// The table.
        table: String,
        /// The number of its row, from 1.
        number: u64,
        /// Offset of the row, in bytes.
        offset: u64,
        /// The error.
        reason: String,
    },
    /// It cannot be read at all.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is JSON, but not an export.
    #[error("it is JSON, but not a Ghost export: {0}")]
    NotAnExport(&'static str),
    /// It was made by a version of Ghost that is too old.
    #[error(
        "it was made by Ghost {0}; update that site to Ghost 4, 5 or 6 first, and export it there"
    )]
    TooOld(String),
    /// It was cancelled.
    #[error("it was cancelled; nothing has changed")]
    Cancelled,
    /// Other requests use the memory that it needs.
    #[error("other requests use the memory that its tables need; send it again later")]
    Busy,
    /// Its records take more memory than allowed for its length.
    #[error(
        "it has too many rows for its length: they would take more than {} MiB. Import it with `galley import`, which has no such limit",
        .0 >> 20
    )]
    TooManyRows(usize),
    /// It exceeds a limit.
    #[error("it has more than {0}")]
    TooMuch(String),
}

fn in_table(table: &Option<(String, u64)>) -> String {
    match table {
        Some((table, number)) => format!("in row {number} of the table {table}, "),
        None => String::new(),
    }
}

/// The JSON of a row, with its position.
pub struct RawRow<'a> {
    /// The table.
    pub table: &'a str,
    /// The number of its row, from 1.
    pub number: u64,
    /// Its offset, in bytes.
    pub offset: u64,
    /// The JSON of the row.
    pub json: &'a [u8],
}

impl RawRow<'_> {
    /// Returns the error for a row that is not JSON.
    pub fn broken(&self, reason: &serde_json::Error) -> ExportError {
        ExportError::BrokenRow {
            table: self.table.to_owned(),
            number: self.number,
            offset: self.offset,
            reason: reason.to_string(),
        }
    }
}

/// Receives the parts of an export.
pub trait TableVisitor {
    /// The error that stops the reading.
    type Error: From<ExportError>;

    /// Returns whether to visit the rows of this table. Otherwise they are skipped without parsing.
    fn wants(&mut self, table: &str) -> bool;

    /// Takes the `meta` object of the export.
    fn meta(&mut self, json: &[u8]) -> Result<(), Self::Error>;

    /// Takes a row of a requested table.
    fn row(&mut self, row: &RawRow<'_>) -> Result<(), Self::Error>;

    /// Reports that the row before this byte offset was read or skipped.
    fn passed(&mut self, offset: u64) -> Result<(), Self::Error>;
}

/// Reads an export, and passes its parts to `visitor`.
///
/// # Errors
///
/// If it cannot be read or is not an export; the errors of `visitor`.
pub fn read_export<V: TableVisitor>(
    reader: &mut dyn Read,
    visitor: &mut V,
) -> Result<(), V::Error> {
    let stream = JsonStream::new(reader).map_err(outside_tables)?;
    let mut export = ExportReader {
        stream,
        visitor,
        has_data: false,
    };
    if export.stream.peek().map_err(outside_tables)? != b'{' {
        return Err(ExportError::NotAnExport("it is not an object with \"db\" or \"data\"").into());
    }
    export.document(true)?;
    export.stream.end().map_err(outside_tables)?;
    if export.has_data {
        Ok(())
    } else {
        Err(ExportError::NotAnExport("it has no \"data\"").into())
    }
}

fn outside_tables(source: StreamError) -> ExportError {
    ExportError::Broken {
        table: None,
        source,
    }
}

/// The state of reading an export.
struct ExportReader<'r, 'v, V> {
    stream: JsonStream<'r>,
    visitor: &'v mut V,
    has_data: bool,
}

impl<V: TableVisitor> ExportReader<'_, '_, V> {
    /// Reads the whole document, or an object in its `db`.
    fn document(&mut self, is_whole: bool) -> Result<(), V::Error> {
        self.stream.enter(b'{').map_err(outside_tables)?;
        let mut is_first = true;
        while let Some(key) = self.stream.key(is_first).map_err(outside_tables)? {
            is_first = false;
            match (key.as_str(), self.stream.peek().map_err(outside_tables)?) {
                // Only at the top, so that a document cannot nest these calls deeply.
                ("db", b'[') if is_whole => self.databases()?,
                ("db", b'{') if is_whole => self.document(false)?,
                ("data", b'{') => self.tables()?,
                ("meta", b'{') => {
                    let json = self.stream.value(META_BYTES_MAX).map_err(outside_tables)?;
                    self.visitor.meta(json)?;
                }
                _ => self.stream.skip().map_err(outside_tables)?,
            }
        }
        Ok(())
    }

    fn databases(&mut self) -> Result<(), V::Error> {
        self.stream.enter(b'[').map_err(outside_tables)?;
        let mut is_first = true;
        while self.stream.element(is_first).map_err(outside_tables)? {
            is_first = false;
            match self.stream.peek().map_err(outside_tables)? {
                b'{' => self.document(false)?,
                _ => self.stream.skip().map_err(outside_tables)?,
            }
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<(), V::Error> {
        self.has_data = true;
        self.stream.enter(b'{').map_err(outside_tables)?;
        let mut is_first = true;
        while let Some(table) = self.stream.key(is_first).map_err(outside_tables)? {
            is_first = false;
            match self.stream.peek().map_err(outside_tables)? {
                b'[' => self.rows(&table)?,
                _ => self.stream.skip().map_err(outside_tables)?,
            }
        }
        Ok(())
    }

    fn rows(&mut self, table: &str) -> Result<(), V::Error> {
        let is_requested = self.visitor.wants(table);
        let mut number = 0;
        let at = |number: u64| {
            move |source: StreamError| ExportError::Broken {
                table: Some((table.to_owned(), number)),
                source,
            }
        };
        self.stream.enter(b'[').map_err(at(0))?;
        while self.stream.element(number == 0).map_err(at(number + 1))? {
            number += 1;
            if is_requested {
                // Skips white space, so that the offset is that of the row.
                self.stream.peek().map_err(at(number))?;
                let offset = self.stream.offset();
                let json = self.stream.value(ROW_BYTES_MAX).map_err(at(number))?;
                self.visitor.row(&RawRow {
                    table,
                    number,
                    offset,
                    json,
                })?;
            } else {
                self.stream.skip().map_err(at(number))?;
            }
            self.visitor.passed(self.stream.offset())?;
        }
        Ok(())
    }
}
