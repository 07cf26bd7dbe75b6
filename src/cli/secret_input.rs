//! Reads secrets from standard input.

use std::io;

use crate::control::Secret;

/// Reads a secret from the first line of standard input; `None` if it is empty.
pub(super) fn read_secret() -> io::Result<Option<Secret>> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let text = line.trim_end_matches(['\r', '\n']);
    Ok((!text.is_empty()).then(|| Secret(text.to_owned())))
}
