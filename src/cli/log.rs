//! The log on standard error, as text or JSON. Each event is one line, and the control characters of its values are escaped.
//!
//! The field `diagnostics` alone has lines, which follow that of its event: problems of content files with their positions.

use std::{
    error::Error,
    fmt::{self, Write as _},
    io::{self, IsTerminal, Stderr, Write},
};

use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::RecordFields,
    filter::LevelFilter,
    fmt::{FormatFields, format::Writer},
};

use crate::escaped;

/// The field of problems with their positions, which display themselves without control characters.
const DIAGNOSTICS: &str = "diagnostics";

/// Starts the log.
pub fn start(level: LevelFilter, is_json: bool) {
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        // A line that cannot be written, as on a full disk, is lost; reporting that on the same file would panic.
        .log_internal_errors(false)
        // Everything is escaped here, in one form.
        .with_ansi_sanitization(false);
    if is_json {
        log.json().with_writer(|| JsonLines(io::stderr())).init()
    } else {
        log.fmt_fields(LineFields)
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .with_writer(io::stderr)
            .init()
    }
}

/// Formats the fields of an event on one line.
struct LineFields;

impl<'writer> FormatFields<'writer> for LineFields {
    fn format_fields<R: RecordFields>(
        &self,
        mut writer: Writer<'writer>,
        fields: R,
    ) -> fmt::Result {
        let mut text = LineText::default();
        fields.record(&mut text);
        writer.write_str(&escaped::line(&text.line))?;
        if !text.diagnostics.is_empty() {
            writer.write_char('\n')?;
            writer.write_str(&escaped::lines(&text.diagnostics))?;
        }
        Ok(())
    }
}

/// The fields of an event: the message, and then names with values.
#[derive(Default)]
struct LineText {
    line: String,
    diagnostics: String,
}

impl LineText {
    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let name = field.name();
        // Strings take all that is written.
        if name == DIAGNOSTICS {
            let _ = write!(self.diagnostics, "{value}");
            return;
        }
        if !self.line.is_empty() {
            self.line.push(' ');
        }
        let _ = match name {
            "message" => write!(self.line, "{value}"),
            _ => write!(self.line, "{}={value}", name.trim_start_matches("r#")),
        };
    }
}

impl Visit for LineText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.add(field, format_args!("{value}")),
            _ => self.add(field, format_args!("{value:?}")),
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let mut sources = Vec::new();
        let mut source = value.source();
        while let Some(error) = source {
            sources.push(error.to_string());
            source = error.source();
        }
        match sources.as_slice() {
            [] => self.add(field, format_args!("{value}")),
            sources => {
                let sources = sources.join(", ");
                self.add(field, format_args!("{value} {field}.sources=[{sources}]"));
            }
        }
    }
}

/// Writes events of JSON, each in one call.
struct JsonLines(Stderr);

impl Write for JsonLines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.write_all(escaped::json(&text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
