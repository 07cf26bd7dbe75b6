//! The output of commands. All output goes through this module, so that no value can control the terminal or forge a
//! line.
//!
//! Each `writeln!` prints one line: line breaks in its values are escaped, as are all other control characters.
//! [`Output::lines`] prints texts that have several lines and are already escaped.

use std::{
    env,
    fmt::{self, Display},
    io::{self, IsTerminal, StdoutLock, Write},
    panic, process,
};

use serde::Serialize;
use tracing::Level;

use super::log;
use crate::escaped;

/// Standard output or standard error.
pub struct Output {
    stream: Box<dyn Write>,
    is_terminal: bool,
}

impl Output {
    /// Returns standard output, locked for this thread.
    pub fn standard() -> Self {
        Self {
            stream: Box::new(io::stdout().lock()),
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// Returns standard error.
    pub fn error() -> Self {
        Self {
            stream: Box::new(io::stderr()),
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Prints one line: the expansion of `writeln!`.
    pub fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        let text = text.to_string();
        let line = text.strip_suffix('\n').unwrap_or(&text);
        let line = format!("{}\n", escaped::line(line));
        self.stream.write_all(line.as_bytes())
    }

    /// Prints a part of a line.
    pub fn part(&mut self, text: impl Display) -> io::Result<()> {
        let text = text.to_string();
        self.stream.write_all(escaped::line(&text).as_bytes())
    }

    /// Prints a part of a line, in bold on a terminal.
    pub fn bold(&mut self, text: &str) -> io::Result<()> {
        if !self.is_terminal {
            return self.part(text);
        }
        self.stream.write_all(b"\x1b[1m")?;
        self.part(text)?;
        self.stream.write_all(b"\x1b[0m")
    }

    /// Prints a text of several lines, and ends the last one.
    pub fn lines(&mut self, text: impl Display) -> io::Result<()> {
        let text = text.to_string();
        let text = format!("{}\n", escaped::lines(&text));
        self.stream.write_all(text.as_bytes())
    }

    /// Prints a value as JSON of several lines.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(&serde_json::to_string_pretty(value)?)
    }

    /// Prints a value as JSON on one line.
    pub fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(&serde_json::to_string(value)?)
    }

    fn json_text(&mut self, text: &str) -> io::Result<()> {
        let text = format!("{}\n", escaped::json(text));
        self.stream.write_all(text.as_bytes())
    }

    /// Flushes the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Returns standard output for raw bytes, such as those of a file.
pub fn data() -> StdoutLock<'static> {
    io::stdout().lock()
}

/// Prints a line on standard error; in the journal of systemd, with the priority of this level. A line that cannot be
/// printed is lost.
pub fn complain(level: Level, text: impl Display) {
    print_problem(level, &escaped::line(&text.to_string()));
}

/// Prints a text of several lines on standard error, as [`complain`] does.
pub fn complain_in_lines(level: Level, text: impl Display) {
    print_problem(level, &escaped::lines(&text.to_string()));
}

fn print_problem(level: Level, text: &str) {
    let text = if log::is_in_journal() {
        log::with_priority(level, text)
    } else {
        format!("{text}\n")
    };
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Parses the arguments of the process. Ends the program if they are invalid, or request the help or the version.
pub fn arguments<T: clap::Parser>() -> T {
    T::try_parse().unwrap_or_else(|error| {
        let shown =
            env::args_os().map(|argument| escaped::line(&argument.to_string_lossy()).into_owned());
        // clap prints arguments verbatim, so they are escaped and parsed once more for its message.
        match T::try_parse_from(shown) {
            Err(error) => error.exit(),
            // The arguments are valid only in escaped form.
            Ok(_) => {
                complain(Level::ERROR, &error);
                process::exit(error.exit_code())
            }
        }
    })
}

/// Escapes the messages of panics, since they contain values.
pub fn escape_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let message = panic.to_string();
        if escaped::lines(&message) == message {
            usual(panic);
        } else {
            complain_in_lines(Level::ERROR, message);
        }
    }));
}
