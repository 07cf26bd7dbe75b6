//! Scripts that tests write and run.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Writes an executable script, creating its parent folders.
///
/// The file is written by another process. A program that is open for writing cannot be run ("Text file busy"), and a
/// process that another test starts at the same moment inherits the open files of this one until it runs its own
/// program.
pub fn write_script(path: &Path, text: &str) {
    let mut process = Command::new("install")
        .args(["-D", "-m", "755", "/dev/stdin"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    assert!(process.wait().unwrap().success());
}
