//! Runs commands of the program.

use std::{
    env,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use crate::http_client::{HttpResponse, send_raw};

/// Returns the path of the program, which Cargo builds next to the folder of the test programs.
pub fn program() -> PathBuf {
    let this = env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent);
    folder.unwrap().join("galley")
}

/// Returns a command of the program in `folder`, with an empty environment.
pub fn galley(folder: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(folder)
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null());
    command
}

/// Returns a free address of this machine, for the flags of a command.
pub fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Runs the program in `folder` with these arguments.
pub fn run(folder: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> CommandOutput {
    galley(folder, arguments).output().unwrap().into()
}

/// Runs the program in `folder` with these arguments. Returns its standard output; fails if the command fails.
pub fn output(folder: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> String {
    run(folder, arguments).stdout().to_owned()
}

/// Runs the program in `folder`, on the data folder `data` in it unless the arguments set another one.
pub fn run_on_data(folder: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> CommandOutput {
    run(folder, &[&["--data", "data"], arguments].concat())
}

/// Runs the program in `folder`, in a mount namespace in which the shell commands `mounts` ran before. `None` if this
/// user may not mount file systems.
pub fn run_mounted(
    folder: &(impl AsRef<Path> + ?Sized),
    mounts: &str,
    arguments: &[&str],
) -> Option<CommandOutput> {
    let namespace = |command: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.arg("--mount").args(command).current_dir(folder);
        unshare
    };
    let may = namespace(&["true"]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let script = format!("{mounts} && exec \"$0\" \"$@\"");
    let output = namespace(&["sh", "-c", &script])
        .arg(program())
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    Some(output.unwrap().into())
}

/// The output of a process.
pub struct CommandOutput {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

impl CommandOutput {
    /// Returns whether the process succeeded.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns the standard output; fails if the process failed.
    pub fn stdout(&self) -> &str {
        assert!(self.is_success(), "{:?}: {}", self.code, self.err);
        &self.out
    }

    /// Returns the standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// Returns the body of the response to a GET request, which must succeed.
pub fn fetch(address: &str, path: &str) -> String {
    let response = response_to(address, path);
    assert_eq!(response.status, 200, "{path}: {}", response.text());
    response.text().to_owned()
}

/// Returns the response to a GET request.
pub fn response_to(address: &str, path: &str) -> HttpResponse {
    let headers = format!("Host: {address}\r\nConnection: close\r\n");
    send_raw(address, format!("GET {path} HTTP/1.1\r\n{headers}\r\n"))
}

/// Returns whether `path` is a file that is not empty.
pub fn has_content(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
