//! The real program in a process of its own, to be killed and started again. It logs all that it can.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::Instant,
};

use crate::http_client::PATIENCE;

/// A `galley serve`, which is killed when it is dropped.
pub struct GalleyProcess {
    child: Mutex<Child>,
    log: PathBuf,
    address: String,
}

impl GalleyProcess {
    /// Serves the data folder `folder/data` at a free port and waits until it answers. `variables` are its environment.
    pub fn start(folder: &Path, variables: &[(&str, &str)]) -> Self {
        let log = folder.join("galley.log");
        let said = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        let before = fs::read_to_string(&log).unwrap().len();
        let child = Command::new(env!("CARGO_BIN_EXE_galley"))
            .args([
                "-vv",
                "serve",
                "--no-content",
                "--listen",
                "127.0.0.1:0",
                "--data",
            ])
            .arg(folder.join("data"))
            .current_dir(folder)
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        let mut process = Self {
            child: Mutex::new(child),
            log,
            address: String::new(),
        };
        process.address = process.wait_for_address(before);
        process
    }

    /// What stands in the line with `curl` that it says when it serves.
    fn wait_for_address(&self, before: usize) -> String {
        let start = Instant::now();
        loop {
            let said = self.log();
            let line = said[before..].split_once("curl 'http://");
            if let Some((_, rest)) = line
                && let Some((address, _)) = rest.split_once('/')
            {
                return address.to_owned();
            }
            let has_ended = self.child.lock().unwrap().try_wait().unwrap().is_some();
            assert!(
                !has_ended && start.elapsed() < PATIENCE,
                "it does not serve: {said}"
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Where it listens, such as `127.0.0.1:40123`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Everything that it, and those before it in the same folder, have said.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Ends it at once, without a chance to put anything away (SIGKILL).
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
