//! Processes of the program.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::folder::Folder;
use crate::{content_responses, galley_process::program, wait::PATIENCE, wait_for};

/// Returns a command of the program in `folder`, with its own environment.
pub fn galley(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(folder.top())
        .args(arguments)
        .env_clear()
        .stdin(Stdio::null());
    command
}

/// Runs the program with these arguments.
pub fn run(folder: &Folder, arguments: &[&str]) -> Said {
    Said::from(
        galley(folder, arguments)
            .output()
            .expect("the program runs"),
    )
}

/// The output of a process.
pub struct Said {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

impl Said {
    /// Parses its output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }
}

/// A running `galley serve`, which is killed when it is dropped.
pub struct Served {
    process: Child,
    out: BufReader<ChildStdout>,
    /// Its output until it served.
    pub greeting: String,
}

impl Served {
    /// Serves `folder` at a free port.
    pub fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let arguments = [
            &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
            arguments,
        ]
        .concat();
        Self::greeted(&mut galley(folder, &arguments))
    }

    /// Starts `command` and waits until it serves.
    pub fn greeted(command: &mut Command) -> Self {
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut out = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut greeting = String::new();
        while !greeting.contains("Ctrl-C") {
            if out.read_line(&mut greeting).expect("UTF-8") == 0 {
                let mut said = String::new();
                let mut err = process.stderr.take().expect("a pipe");
                err.read_to_string(&mut said).expect("UTF-8");
                panic!("it does not serve: {greeting}{said}");
            }
        }
        Self {
            process,
            out,
            greeting,
        }
    }

    /// The line with `curl`: address and path of a request that works.
    fn curl(&self) -> (&str, &str) {
        let url = self.greeting.split('\'').nth(1).expect("a quoted address");
        let rest = url.strip_prefix("http://").expect("an http address");
        rest.split_at(rest.find('/').expect("a path"))
    }

    /// Returns the listen address.
    pub fn address(&self) -> &str {
        self.curl().0
    }

    /// Returns the path of the request in the greeting.
    pub fn proposed_path(&self) -> &str {
        self.curl().1
    }

    /// Returns the response to a path below `/ghost/api/content/`.
    pub fn get(&self, target: &str) -> Value {
        serde_json::from_str(&self.get_text(target)).expect("replies are JSON")
    }

    /// Returns the same as text.
    pub fn get_text(&self, target: &str) -> String {
        let key = self.greeting.split("key=").nth(1).expect("a key");
        let key = &key[..26];
        let mark = if target.contains('?') { '&' } else { '?' };
        fetch(
            self.address(),
            &format!("/ghost/api/content/{target}{mark}key={key}"),
        )
    }

    /// Returns all responses of the Content API.
    pub fn responses(&self) -> String {
        content_responses::all(|target| self.get_text(target))
    }

    /// Waits until `is_so` of the titles of all posts, newest first.
    pub fn wait_for_titles(&self, is_so: impl Fn(&[String]) -> bool) {
        wait_for("the titles", || self.titles(), |titles| is_so(titles));
    }

    /// Returns the titles of all posts, newest first.
    pub fn titles(&self) -> Vec<String> {
        let response = self.get("posts/?fields=title&limit=100");
        let posts = response["posts"].as_array().expect("a list").iter();
        posts
            .map(|post| post["title"].as_str().expect("a title").to_owned())
            .collect()
    }

    /// Returns the process identifier.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Stops it, and returns its output since the greeting.
    pub fn stop(mut self, signal: Signal) -> Said {
        kill_process(self.pid(), signal).expect("the process is there");
        self.wait()
    }

    /// Waits until it has exited.
    pub fn wait(&mut self) -> Said {
        let status = || self.process.try_wait().expect("the process is ours");
        let status = wait_for("it ends", status, Option::is_some).expect("it ended");
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).expect("UTF-8");
        let mut pipe = self.process.stderr.take().expect("a pipe");
        pipe.read_to_string(&mut err).expect("UTF-8");
        Said {
            code: status.code(),
            out,
            err,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, or does so now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the body of the response to a GET request, which must succeed.
pub fn fetch(address: &str, path: &str) -> String {
    let response = raw_response(address, path);
    assert!(response.starts_with("HTTP/1.1 200"), "{path}: {response}");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    body.to_owned()
}

/// Returns the whole response to a GET request.
pub fn raw_response(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("a connection");
    connection
        .set_read_timeout(Some(PATIENCE))
        .expect("a timeout");
    let mut request = String::new();
    write!(
        request,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .expect("a text");
    connection
        .write_all(request.as_bytes())
        .expect("the request is sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a whole response in UTF-8");
    response
}

/// Returns whether `path` is a file that is not empty.
pub fn has_content(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() > 0)
}
