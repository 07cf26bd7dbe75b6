//! The program in its own process, which tests kill and restart. It logs at the most verbose level.

use std::{
    env,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::wait::PATIENCE;

/// Returns the path of the program, which Cargo builds beside the folder of the tests' own programs.
pub fn program() -> PathBuf {
    let this = env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent);
    folder.unwrap().join("galley")
}

/// Runs a command beside the data folder `folder/data`, in `folder`.
pub fn galley(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    let command = command.args(arguments).current_dir(folder).env_clear();
    command.args(["--data", "data"]).output().unwrap()
}

/// Returns the standard output of a command that succeeds.
pub fn output(folder: &Path, arguments: &[&str]) -> String {
    let said = galley(folder, arguments);
    let errors = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(said.stdout).unwrap()
}

/// A `galley serve`, which is killed when it is dropped.
pub struct GalleyProcess {
    child: Mutex<Child>,
    log: PathBuf,
    address: String,
}

impl GalleyProcess {
    /// Serves the data folder `folder/data` at a free port, with the content folder `folder/content` if there is one, and
    /// waits until it responds. `variables` are its environment.
    pub fn start(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let log = folder.join("galley.log");
        let before = fs::metadata(&log).map_or(0, |known| known.len());
        let mut process = Self::spawn(folder, variables);
        process.address = process.wait_for_address(before);
        process
    }

    /// Starts the program without waiting until it responds.
    pub fn spawn(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let log = folder.join("galley.log");
        let said = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        let content = folder.join("content");
        let mut command = Command::new(program());
        command.args(["-vv", "serve", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(folder.join("data"));
        if content.is_dir() {
            command.arg("--content").arg(content)
        } else {
            command.arg("--no-content")
        };
        let child = command
            .current_dir(folder)
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        Self {
            child: Mutex::new(child),
            log,
            address: String::new(),
        }
    }

    /// Returns the parts of the `curl` line that it prints when it serves.
    fn wait_for_address(&self, before: u64) -> String {
        let start = Instant::now();
        loop {
            let mut said = String::new();
            let mut log = File::open(&self.log).unwrap();
            log.seek(SeekFrom::Start(before)).unwrap();
            log.read_to_string(&mut said).unwrap();
            let line = said.split_once("curl 'http://");
            if let Some((_, rest)) = line
                && let Some((address, _)) = rest.split_once('/')
            {
                return address.to_owned();
            }
            assert!(
                self.is_running() && start.elapsed() < PATIENCE,
                "it does not serve: {said}"
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Returns the listen address, such as `127.0.0.1:40123`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the process identifier.
    pub fn id(&self) -> u32 {
        self.child.lock().unwrap().id()
    }

    /// Returns the log of this process and of earlier ones in the same folder.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Returns whether it is still running.
    pub fn is_running(&self) -> bool {
        self.child.lock().unwrap().try_wait().unwrap().is_none()
    }

    /// Ends it as a service manager does (SIGTERM), and returns its status and how long that took.
    pub fn terminate(&self) -> (ExitStatus, Duration) {
        let mut child = self.child.lock().unwrap();
        let begun = Instant::now();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = child.try_wait().unwrap() {
                return (status, begun.elapsed());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The process is killed when this is dropped.
        drop(child);
        panic!("it does not end");
    }

    /// Kills it at once (SIGKILL).
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
