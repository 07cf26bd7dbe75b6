//! A `galley serve` in a separate process, which tests stop, kill and restart.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::Path,
    process::{Child, Command, ExitStatus},
    sync::Mutex,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{
    command_line::{CommandOutput, fetch, galley},
    content_responses, wait_for, wait_until,
};

/// A `galley serve`, which is killed when it is dropped.
pub struct GalleyProcess {
    child: Mutex<Child>,
    out: Output,
    err: Output,
    /// Its standard output until it serves; empty after [`GalleyProcess::spawn`].
    pub greeting: String,
}

impl GalleyProcess {
    /// Serves the data folder `folder/data` on a free port with these arguments, and waits until it responds.
    pub fn serve(folder: &(impl AsRef<Path> + ?Sized), arguments: &[&str]) -> Self {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
        Self::from_command(&mut galley(folder, &[&serve, arguments].concat()))
    }

    /// Starts `command`, and waits until it serves.
    pub fn from_command(command: &mut Command) -> Self {
        let unnamed = || Output::of(tempfile::tempfile().unwrap());
        Self::spawned(command, unnamed(), unnamed()).greeted()
    }

    /// Serves the data folder `folder/data` on a free port, with the content folder `folder/content` if it exists, and
    /// waits until the server responds. `variables` is its environment. Its output is appended to the file
    /// `folder/galley.log`, which includes the log at the most verbose level.
    pub fn start(folder: &Path, variables: &[(&str, &str)]) -> Self {
        Self::spawn(folder, variables).greeted()
    }

    /// Starts the server like [`start`](Self::start), without waiting until it responds.
    pub fn spawn(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let serve = ["-vv", "serve", "--listen", "127.0.0.1:0", "--data", "data"];
        let content: &[&str] = if folder.join("content").is_dir() {
            &["--content", "content"]
        } else {
            &["--no-content"]
        };
        let log = || {
            let mut options = File::options();
            let file = options.create(true).append(true).read(true);
            Output::of(file.open(folder.join("galley.log")).unwrap())
        };
        let mut command = galley(folder, &[&serve, content].concat());
        command.envs(variables.iter().copied());
        Self::spawned(&mut command, log(), log())
    }

    fn spawned(command: &mut Command, out: Output, err: Output) -> Self {
        let child = command
            .stdout(out.file.try_clone().unwrap())
            .stderr(err.file.try_clone().unwrap())
            .spawn()
            .unwrap();
        Self {
            child: Mutex::new(child),
            out,
            err,
            greeting: String::new(),
        }
    }

    fn greeted(mut self) -> Self {
        const END: &str = "Ctrl-C stops it.\n";
        wait_until("it serves", || {
            let is_running = self.is_running();
            let out = self.out.text();
            if let Some(end) = out.find(END) {
                self.greeting = out[..end + END.len()].to_owned();
                return true;
            }
            assert!(is_running, "it does not serve: {out}{}", self.err.text());
            false
        });
        self
    }

    /// Returns the address and the path of the `curl` line in the greeting.
    fn curl(&self) -> (&str, &str) {
        let (_, url) = self.greeting.split_once("curl 'http://").expect("a URL");
        let (url, _) = url.split_once('\'').expect("a quoted URL");
        url.split_at(url.find('/').expect("a path"))
    }

    /// Returns the listen address, such as `127.0.0.1:40123`.
    pub fn address(&self) -> &str {
        self.curl().0
    }

    /// Returns the path of the request in the greeting, with a key of the Content API.
    pub fn proposed_path(&self) -> &str {
        self.curl().1
    }

    /// Returns the key of the Content API in the greeting.
    pub fn content_key(&self) -> &str {
        let (_, key) = self.proposed_path().split_once("key=").expect("a key");
        &key[..26]
    }

    /// Returns the response to a path below `/ghost/api/content/`.
    pub fn get(&self, target: &str) -> Value {
        serde_json::from_str(&self.get_text(target)).expect("responses are JSON")
    }

    /// Returns the response to a path below `/ghost/api/content/` as text.
    pub fn get_text(&self, target: &str) -> String {
        let key = self.content_key();
        let separator = if target.contains('?') { '&' } else { '?' };
        let path = format!("/ghost/api/content/{target}{separator}key={key}");
        fetch(self.address(), &path)
    }

    /// Returns all responses of the Content API.
    pub fn responses(&self) -> String {
        content_responses::all(|target| self.get_text(target))
    }

    /// Waits until `is_expected` returns true for the titles of all posts, newest first.
    pub fn wait_for_titles(&self, is_expected: impl Fn(&[String]) -> bool) {
        wait_for("the titles", || self.titles(), |titles| is_expected(titles));
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
        Pid::from_child(&self.child.lock().unwrap())
    }

    /// Returns the log: standard error, or the whole file `galley.log` if the process was started with one.
    pub fn log(&self) -> String {
        self.err.whole_text()
    }

    /// Returns whether the process is still running.
    pub fn is_running(&self) -> bool {
        self.child.lock().unwrap().try_wait().unwrap().is_none()
    }

    /// Stops the process like a service manager (SIGTERM), and returns its exit status and how long the stop took.
    pub fn terminate(&self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        kill_process(self.pid(), Signal::TERM).unwrap();
        let status = self.wait_for_status();
        (status, begun.elapsed())
    }

    /// Stops the process with `signal`, and returns its output since the greeting.
    pub fn stop(self, signal: Signal) -> CommandOutput {
        kill_process(self.pid(), signal).expect("the process is running");
        self.wait()
    }

    /// Waits until the process has exited, and returns its output since the greeting.
    pub fn wait(&self) -> CommandOutput {
        let status = self.wait_for_status();
        CommandOutput {
            code: status.code(),
            out: self.out.text()[self.greeting.len()..].to_owned(),
            err: self.err.text(),
        }
    }

    fn wait_for_status(&self) -> ExitStatus {
        let status = || self.child.lock().unwrap().try_wait().unwrap();
        wait_for("it ends", status, Option::is_some).expect("it ended")
    }

    /// Kills the process (SIGKILL).
    pub fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

impl Drop for GalleyProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A file with the output of a process.
struct Output {
    file: File,
    /// The length of the file before the process started.
    start: u64,
}

impl Output {
    fn of(file: File) -> Self {
        let start = file.metadata().unwrap().len();
        Self { file, start }
    }

    fn text(&self) -> String {
        self.text_from(self.start)
    }

    fn whole_text(&self) -> String {
        self.text_from(0)
    }

    /// Reads the file without moving the offset at which the process writes.
    fn text_from(&self, start: u64) -> String {
        let length = self.file.metadata().unwrap().len() - start;
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        self.file.read_exact_at(&mut bytes, start).unwrap();
        String::from_utf8(bytes).expect("UTF-8")
    }
}
