//! Other processes for tests: the test binary, started again to run a single ignored test.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const PATH_VARIABLE: &str = "GALLEY_TEST_PATH";

/// A process that runs an ignored test. It is killed when dropped.
pub struct OtherProcess {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl OtherProcess {
    /// Starts the test `name` of the module `module` (its `module_path!()`) in a new process.
    pub fn start(module: &str, name: &str, path: &Path) -> Self {
        let (_crate_name, module) = module.split_once("::").unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                &format!("{module}::{name}"),
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env(PATH_VARIABLE, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, output }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the text after `prefix` on the next line that starts with `prefix`; `None` at the end of the output.
    pub fn next_said(&mut self, prefix: &str) -> Option<String> {
        self.output
            .by_ref()
            .map(Result::unwrap)
            .find_map(|line| line.strip_prefix(prefix).map(str::to_owned))
    }

    /// Kills the process with SIGKILL and waits for its end. Its output can still be read.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the path that this process was started with. To be called in the other process.
pub fn given_path() -> PathBuf {
    std::env::var_os(PATH_VARIABLE)
        .expect("this test is only run by other tests")
        .into()
}

/// Waits until the process that started this one ends or closes the pipe. To be called in the other process.
pub fn wait_for_the_end() {
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}
