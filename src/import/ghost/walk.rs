//! The way through an export: to its tables, and through their rows.
//!
//! Ghost writes `{"db": [{"meta": …, "data": {table: [row, …], …}}]}`; other programs leave `db` out. Tables stand in any
//! order.

use std::io::Read;

use super::json_stream::{JsonStream, StreamError};

/// Longest row, in bytes of JSON: a post with a few pictures in its text, twice.
pub const ROW_BYTES_MAX: usize = 32 << 20;

/// Longest description of an export, in bytes of JSON.
const META_BYTES_MAX: usize = 64 << 10;

/// Why an export cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The document is broken between rows.
    #[error("{}{source}", in_table(.table))]
    Broken {
        /// The table that was being read, and the number of the row, from 1.
        table: Option<(String, u64)>,
        /// What is wrong.
        source: StreamError,
    },
    /// A row is no JSON.
    #[error("{}it is not JSON: {reason} (the row begins at byte {offset})", in_table(&Some((table.clone(), *number))))]
    BrokenRow {
        /// The table.
        table: String,
        /// Which of its rows, from 1.
        number: u64,
        /// Where the row begins, in bytes from the start.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// It cannot be read at all.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is JSON of something else.
    #[error("it is JSON, but no export of Ghost: {0}")]
    Foreign(&'static str),
    /// It was made by a Ghost that is too old.
    #[error(
        "it was made by Ghost {0}; bring that site to Ghost 4, 5 or 6 first, and export it there"
    )]
    TooOld(String),
    /// Nobody wants it any more.
    #[error("it was cancelled; nothing has changed")]
    Cancelled,
    /// Others have the memory that it takes.
    #[error("other requests have the memory that its tables take; send it again later")]
    Busy,
    /// What becomes of its rows takes more memory than one of its length may.
    #[error(
        "it has too many rows for its length: they would take more than {} MiB. Bring it in with `galley import`, which takes it",
        .0 >> 20
    )]
    TooManyRows(usize),
    /// There is more of something than is taken.
    #[error("it has more than {0}")]
    TooMuch(String),
}

fn in_table(table: &Option<(String, u64)>) -> String {
    match table {
        Some((table, number)) => format!("in row {number} of the table {table}, "),
        None => String::new(),
    }
}

/// A row as it stands in the file.
pub struct RawRow<'a> {
    /// The table.
    pub table: &'a str,
    /// Which of its rows, from 1.
    pub number: u64,
    /// Where it begins, in bytes from the start.
    pub offset: u64,
    /// What stands there.
    pub json: &'a [u8],
}

impl RawRow<'_> {
    /// That what stands there is no JSON.
    pub fn broken(&self, reason: &serde_json::Error) -> ExportError {
        ExportError::BrokenRow {
            table: self.table.to_owned(),
            number: self.number,
            offset: self.offset,
            reason: reason.to_string(),
        }
    }
}

/// Is shown what an export holds.
pub trait Visitor {
    /// What stops the visit.
    type Error: From<ExportError>;

    /// Whether the rows of this table are to be shown; else they are skipped unread.
    fn wants(&mut self, table: &str) -> bool;

    /// The description of the export.
    fn meta(&mut self, json: &[u8]) -> Result<(), Self::Error>;

    /// A row of a table that is wanted.
    fn row(&mut self, row: &RawRow<'_>) -> Result<(), Self::Error>;

    /// A row was passed, which ended at this byte.
    fn passed(&mut self, offset: u64) -> Result<(), Self::Error>;
}

/// Shows an export to `visitor`.
///
/// # Errors
///
/// When it cannot be read or is no export, or what `visitor` returns.
pub fn walk<V: Visitor>(reader: &mut dyn Read, visitor: &mut V) -> Result<(), V::Error> {
    let stream = JsonStream::new(reader).map_err(outside)?;
    let mut walk = Walk {
        stream,
        visitor,
        has_data: false,
    };
    if walk.stream.peek().map_err(outside)? != b'{' {
        return Err(ExportError::Foreign("it is not an object with \"db\" or \"data\"").into());
    }
    walk.document(true)?;
    walk.stream.end().map_err(outside)?;
    match walk.has_data {
        true => Ok(()),
        false => Err(ExportError::Foreign("it has no \"data\"").into()),
    }
}

fn outside(source: StreamError) -> ExportError {
    ExportError::Broken {
        table: None,
        source,
    }
}

struct Walk<'r, 'v, V> {
    stream: JsonStream<'r>,
    visitor: &'v mut V,
    has_data: bool,
}

impl<V: Visitor> Walk<'_, '_, V> {
    /// The whole document, or what stands in its `db`.
    fn document(&mut self, is_whole: bool) -> Result<(), V::Error> {
        self.stream.enter(b'{').map_err(outside)?;
        let mut is_first = true;
        while let Some(key) = self.stream.key(is_first).map_err(outside)? {
            is_first = false;
            match (key.as_str(), self.stream.peek().map_err(outside)?) {
                ("db", b'[') if is_whole => self.databases()?,
                ("db", b'{') if is_whole => self.document(false)?,
                ("data", b'{') => self.tables()?,
                ("meta", b'{') => {
                    let json = self.stream.value(META_BYTES_MAX).map_err(outside)?;
                    self.visitor.meta(json)?;
                }
                _ => self.stream.skip().map_err(outside)?,
            }
        }
        Ok(())
    }

    fn databases(&mut self) -> Result<(), V::Error> {
        self.stream.enter(b'[').map_err(outside)?;
        let mut is_first = true;
        while self.stream.element(is_first).map_err(outside)? {
            is_first = false;
            match self.stream.peek().map_err(outside)? {
                b'{' => self.document(false)?,
                _ => self.stream.skip().map_err(outside)?,
            }
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<(), V::Error> {
        self.has_data = true;
        self.stream.enter(b'{').map_err(outside)?;
        let mut is_first = true;
        while let Some(table) = self.stream.key(is_first).map_err(outside)? {
            is_first = false;
            match self.stream.peek().map_err(outside)? {
                b'[' => self.rows(&table)?,
                _ => self.stream.skip().map_err(outside)?,
            }
        }
        Ok(())
    }

    fn rows(&mut self, table: &str) -> Result<(), V::Error> {
        let is_wanted = self.visitor.wants(table);
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
            if is_wanted {
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
