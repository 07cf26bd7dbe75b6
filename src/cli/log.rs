//! The log on standard error, as text or JSON. Each event is one line, and control characters in its values are
//! escaped.
//!
//! Only the field `diagnostics` has several lines, which follow the line of its event: problems of content files with
//! their positions.

use std::{
    env,
    error::Error,
    fmt::{self, Write as _},
    io::{self, IsTerminal, Stderr, Write},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer, Registry,
    field::RecordFields,
    filter::{LevelFilter, Targets},
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    layer::SubscriberExt,
    registry::LookupSpan,
    reload,
    util::SubscriberInitExt,
};

use crate::escaped;

/// The field with problems and their positions, which are displayed without control characters.
const DIAGNOSTICS: &str = "diagnostics";

/// The target of access log events.
const ACCESS: &str = "galley::request";

/// The environment variable in which systemd names the journal stream that standard output or standard error is
/// connected to.
const JOURNAL: &str = "JOURNAL_STREAM";

/// The levels of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLevels {
    /// The minimum severity.
    pub level: LevelFilter,
    /// True if each request is logged; `None` if requests are logged only in the journal of systemd.
    pub access: Option<bool>,
}

impl LogLevels {
    fn filter(self) -> Targets {
        let access = if self.access.unwrap_or_else(is_in_journal) {
            LevelFilter::DEBUG.max(self.level)
        } else {
            self.level
        };
        Targets::new()
            .with_default(self.level)
            .with_target(ACCESS, access)
    }
}

/// The running log.
#[derive(Debug)]
pub struct Log(reload::Handle<Targets, Registry>);

impl Log {
    /// Starts the log.
    pub fn start(levels: LogLevels, is_json: bool) -> Self {
        let (filter, handle) = reload::Layer::new(levels.filter());
        let lines = tracing_subscriber::fmt::layer()
            // A line that cannot be written, as on a full disk, is lost. Reporting that on the same stream would panic.
            .log_internal_errors(false)
            // Escaping is done here, in one form for all events.
            .with_ansi_sanitization(false);
        let lines = if is_json {
            lines.json().with_writer(|| JsonLines(io::stderr())).boxed()
        } else if is_in_journal() {
            let lines = lines.fmt_fields(LineFields).event_format(JournalLines);
            lines.with_writer(io::stderr).boxed()
        } else {
            lines
                .fmt_fields(LineFields)
                .with_ansi(io::stderr().is_terminal())
                .with_target(false)
                .with_writer(io::stderr)
                .boxed()
        };
        tracing_subscriber::registry()
            .with(filter)
            .with(lines)
            .init();
        Self(handle)
    }

    /// Changes the levels of the log.
    pub fn set(&self, levels: LogLevels) {
        // This fails only if the subscriber has been dropped, which happens at the end of the process.
        let _ = self.0.reload(levels.filter());
    }
}

/// Returns whether standard error goes to the journal of systemd.
pub(super) fn is_in_journal() -> bool {
    let Ok(named) = env::var(JOURNAL) else {
        return false;
    };
    // The variable is inherited, so a process may have it although its standard error is another file.
    rustix::fs::fstat(io::stderr())
        .is_ok_and(|file| named == format!("{}:{}", file.st_dev, file.st_ino))
}

/// Formats an event for the journal of systemd, which records the time itself. Each line begins with its priority, as
/// in `sd-daemon(3)`.
struct JournalLines;

impl<S, N> FormatEvent<S, N> for JournalLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut text = String::new();
        context
            .field_format()
            .format_fields(Writer::new(&mut text), event)?;
        writer.write_str(&with_priority(*event.metadata().level(), &text))
    }
}

/// Returns lines for the journal of systemd, each with the priority of this level.
pub(super) fn with_priority(level: Level, text: &str) -> String {
    let priority = match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        _ => 7,
    };
    let lines = text.lines();
    lines.map(|line| format!("<{priority}>{line}\n")).collect()
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
        // Writing to a string cannot fail.
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

/// Writes each JSON event with a single call.
struct JsonLines(Stderr);

impl Write for JsonLines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.write_all(escaped::json(&text).as_bytes())?;
        // The length of the event, not of the escaped text: the caller continues after it.
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
