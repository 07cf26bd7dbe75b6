//! Writes the file of an export, with its tables row by row.

use std::{
    io::{self, Write},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use crate::{
    catalog::{
        fields::{Field, Schema},
        value::Value,
    },
    clock,
};

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
    /// Begins a file in this version of the format.
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

    /// Writes the table `name`: a row for each record, with a column for each of its fields. Returns
    /// the number of rows.
    pub fn records<'r, R: 'static>(
        &mut self,
        name: &str,
        schema: &'static Schema<R>,
        records: impl Iterator<Item = &'r Arc<R>>,
    ) -> io::Result<usize> {
        let mut table = self.table(name)?;
        for record in records {
            table.row(&Columns(schema, &**record, |_| true))?;
        }
        table.end()
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

/// The columns of a record: its fields for which the function returns true.
pub struct Columns<'a, R: 'static>(pub &'static Schema<R>, pub &'a R, pub fn(&Field<R>) -> bool);

impl<R> Serialize for Columns<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(schema, record, is_column) = *self;
        let fields = schema
            .rows()
            .filter(|field| field.is_stored() && is_column(field));
        serializer.collect_map(fields.map(|field| (field.name, Cell(field.value(record)))))
    }
}

struct Cell<'a>(Value<'a>);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Boolean(is_on) => is_on.serialize(serializer),
            Value::Integer(number) => number.serialize(serializer),
            Value::Text(text) => text.serialize(serializer),
            Value::Time(time) => Time(*time).serialize(serializer),
            Value::Id(id) => id.serialize(serializer),
            Value::Uuid(uuid) => uuid.serialize(serializer),
        }
    }
}

/// A timestamp as in Ghost's exports: `2025-01-05T10:00:00.000Z`.
#[derive(Clone, Copy)]
pub struct Time(pub Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let utc = clock::utc(self.0);
        // Ghost stores whole seconds, so the fraction is always zero.
        serializer.collect_str(&utc.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
    }
}
