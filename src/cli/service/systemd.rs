//! Requests to the service manager of the machine through `systemctl`.

use std::{collections::BTreeMap, io, process::Command};

use super::CommandFailure;

/// The advice for a machine without systemd.
const INSTEAD: &str = "`galley service` needs a machine that systemd has started. `galley service install --dry-run` prints the unit";

/// Runs `systemctl` with these arguments, and returns its output.
pub fn systemctl(arguments: &[&str]) -> Result<String, CommandFailure> {
    run("systemctl", arguments).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            CommandFailure::Command(format!("there is no systemctl: {INSTEAD}"))
        }
        _ => CommandFailure::Command(error.to_string()),
    })
}

/// Returns the properties of a unit. They are empty if the unit does not exist.
pub fn properties(unit: &str) -> Result<BTreeMap<String, String>, CommandFailure> {
    const WANTED: &str = "--property=FragmentPath,ActiveState,SubState,UnitFileState";
    let printed = systemctl(&["show", WANTED, unit]).map_err(|failure| match failure {
        CommandFailure::Command(why) if !why.contains(INSTEAD) => {
            CommandFailure::Command(format!("{why}. {INSTEAD}"))
        }
        failure => failure,
    })?;
    let lines = printed.lines().filter_map(|line| line.split_once('='));
    Ok(lines
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect())
}

/// Returns whether a unit starts with the machine. Returns false without systemd.
pub fn is_enabled(unit: &str) -> bool {
    run("systemctl", &["is-enabled", "--quiet", unit]).is_ok()
}

/// Runs a system program to its end, and returns its output.
///
/// # Errors
///
/// `NotFound` if the program is not installed; another kind, with the program's message, if it
/// fails.
pub fn run(program: &str, arguments: &[&str]) -> io::Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.trim();
    let shown = format!("{program} {}", arguments.join(" "));
    Err(io::Error::other(match message {
        "" => format!("`{shown}` failed: {}", output.status),
        message => format!("`{shown}` failed: {message}"),
    }))
}
