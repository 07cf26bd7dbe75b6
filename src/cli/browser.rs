//! Opens pages in the browser of the person who runs a command.

use std::{
    io,
    process::{Command, Stdio},
    thread,
};

/// The programs that open a URL in the browser: of Linux desktops and of macOS.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Opens a URL in the browser, on a new thread because some of the programs run as long as the browser. Logs a warning
/// if none of the programs works.
///
/// # Errors
///
/// If the thread cannot start.
pub fn open(url: &str) -> io::Result<()> {
    let url = url.to_owned();
    let open = move || {
        let is_opened = OPENERS.iter().any(|program| {
            let mut command = Command::new(program);
            command.arg(&url).stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        });
        if !is_opened {
            tracing::warn!("no browser could be opened; the site is at {url}");
        }
    };
    thread::Builder::new()
        .name("browser".to_owned())
        .spawn(open)?;
    Ok(())
}
