//! The frame of the file and of its tables, written row by row.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// A file that is being written.
pub struct ExportDocument<'a> {
    out: &'a mut dyn Write,
    has_tables: bool,
}

/// A table that is being written.
pub struct ExportTable<'d, 'a> {
    document: &'d mut ExportDocument<'a>,
    rows: usize,
}

impl<'a> ExportDocument<'a> {
    /// Begins a file of this version of the format.
    pub fn begin(
        out: &'a mut dyn Write,
        exported_on: Timestamp,
        version: &str,
    ) -> io::Result<Self> {
        let exported_on = exported_on.as_millisecond();
        write!(
            out,
            "{{\"db\":[{{\"meta\":{{\"exported_on\":{exported_on},\"version\":\"{version}\"}},\"data\":{{"
        )?;
        Ok(Self {
            out,
            has_tables: false,
        })
    }

    /// Begins the table `name`.
    pub fn table(&mut self, name: &str) -> io::Result<ExportTable<'_, 'a>> {
        let separator = if self.has_tables { "," } else { "" };
        self.has_tables = true;
        write!(self.out, "{separator}\n\"{name}\":[")?;
        Ok(ExportTable {
            document: self,
            rows: 0,
        })
    }

    /// Ends the file.
    pub fn end(self) -> io::Result<()> {
        self.out.write_all(b"\n}}]}\n")?;
        self.out.flush()
    }
}

impl ExportTable<'_, '_> {
    /// Writes a row.
    pub fn row(&mut self, row: &impl Serialize) -> io::Result<()> {
        let separator: &[u8] = if self.rows > 0 { b",\n" } else { b"\n" };
        self.rows += 1;
        self.document.out.write_all(separator)?;
        serde_json::to_writer(&mut *self.document.out, row)?;
        Ok(())
    }

    /// Ends the table; returns the number of rows.
    pub fn end(self) -> io::Result<usize> {
        self.document.out.write_all(b"]")?;
        Ok(self.rows)
    }
}

/// A timestamp as in Ghost's exports: `2025-01-05T10:00:00.000Z`.
#[derive(Clone, Copy)]
pub struct Time(pub Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    }
}
