//! Runs the git program: without a shell, in the environment of one repository, and with time limits.
//!
//! Git runs in a separate process group, so that its child processes are killed with it.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::repository::{GitError, environment::Environment};

/// Time limit of listing remote branches.
pub const TIME_TO_ASK: Duration = Duration::from_secs(120);

/// Time limit of a fetch. A stalled fetch ends sooner.
pub const TIME_TO_FETCH: Duration = Duration::from_secs(3600);

/// Time limit of local operations.
pub const TIME_TO_WORK: Duration = Duration::from_secs(1800);

/// Maximum output that is read, in bytes: the listing of the largest tree fits.
const OUTPUT_BYTES_MAX: u64 = 256 << 20;

/// Maximum error output that is read, in bytes.
const ERROR_OUTPUT_BYTES_MAX: u64 = 64 << 10;

/// The first and the longest interval between checks whether git has ended.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// The oldest git that reads settings from the environment.
const OLDEST: (u32, u32) = (2, 31);

/// The git program, configured for one repository.
pub struct Program {
    environment: Environment,
    /// The folder that it runs in, if not this process's.
    folder: Option<PathBuf>,
    stopping: Arc<AtomicBool>,
}

impl Program {
    /// Returns git with this environment; it is aborted when `stopping` is set.
    pub fn new(environment: Environment, stopping: Arc<AtomicBool>) -> Self {
        Self {
            environment,
            folder: None,
            stopping,
        }
    }

    /// Returns git with this environment, which runs in `folder`. It is not aborted, because its commands are short, and a
    /// killed command leaves its locks.
    pub fn in_folder(environment: Environment, folder: PathBuf) -> Self {
        Self {
            environment,
            folder: Some(folder),
            stopping: Arc::default(),
        }
    }

    /// Checks the installed git.
    ///
    /// # Errors
    ///
    /// `Missing` or `TooOld`.
    pub fn check(&self) -> Result<(), GitError> {
        let output = self.run("git --version", &["--version"], TIME_TO_WORK)?;
        let output = String::from_utf8_lossy(&output);
        let version = output.trim().trim_start_matches("git version ");
        // Vendors append words, as in `2.39.5 (Apple Git-154)`.
        let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
        let numbers = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if numbers >= OLDEST {
            Ok(())
        } else {
            Err(GitError::TooOld(version.to_owned()))
        }
    }

    /// Runs git with these arguments and returns its output. `operation` describes the call in errors.
    ///
    /// # Errors
    ///
    /// If git cannot be started, fails, takes longer than `time`, or the server stops meanwhile.
    pub fn run(
        &self,
        operation: &'static str,
        arguments: &[&str],
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        self.run_holding(operation, arguments, time, None)
    }

    /// Runs git like [`run`](Self::run), but git inherits the file `lock`, so that git or a surviving child of it holds the
    /// lock.
    pub fn run_holding(
        &self,
        operation: &'static str,
        arguments: &[&str],
        time: Duration,
        lock: Option<&File>,
    ) -> Result<Vec<u8>, GitError> {
        // The standard library opens files with `O_CLOEXEC`, so a child inherits only its standard
        // streams: the lock is passed as stdin.
        // Reads of an empty file end immediately, as those of /dev/null do.
        let input = match lock.map(File::try_clone) {
            Some(Ok(lock)) => Stdio::from(lock),
            Some(Err(error)) => return Err(failed(operation, &error.to_string())),
            None => Stdio::null(),
        };
        let child = self
            .command(arguments)
            .stdin(input)
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => GitError::Missing,
                _ => failed(operation, &error.to_string()),
            })?;
        self.wait_for_output(operation, child, time)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        self.environment.apply(&mut command);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }

    fn wait_for_output(
        &self,
        operation: &'static str,
        mut child: Child,
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let (Some(output), Some(error_output)) = (child.stdout.take(), child.stderr.take()) else {
            unreachable!("invariant: both streams are pipes");
        };
        thread::scope(|scope| {
            // Both pipes are read at the same time, because git blocks as soon as one of them is
            // full.
            let output = scope.spawn(move || read(output, OUTPUT_BYTES_MAX));
            let error_output = scope.spawn(move || read(error_output, ERROR_OUTPUT_BYTES_MAX));
            let ended = self.wait(operation, &mut child, time);
            // The readers end with the last process that has the pipes. On a timeout, `wait` has
            // killed the group, with helpers such as ssh.
            let output = output.join().unwrap_or_default();
            let error_output = error_output.join().unwrap_or_default();
            match ended? {
                // A truncated list would look as if files had been deleted.
                true if output.len() as u64 >= OUTPUT_BYTES_MAX => {
                    Err(failed(operation, "git prints more than can be read"))
                }
                true => Ok(output),
                false => Err(failed(
                    operation,
                    &self.environment.error_message(operation, &error_output),
                )),
            }
        })
    }

    /// Waits for git, and returns its result.
    fn wait(
        &self,
        operation: &'static str,
        child: &mut Child,
        time: Duration,
    ) -> Result<bool, GitError> {
        let end = Instant::now() + time;
        let mut pause = PAUSES.0;
        loop {
            // Polled, because a blocking wait can neither time out nor observe `stopping`.
            let ended = child.try_wait();
            if let Some(status) = ended.map_err(|error| failed(operation, &error.to_string()))? {
                return Ok(status.success());
            }
            let failure = if self.stopping.load(Ordering::SeqCst) {
                GitError::Stopping
            } else if Instant::now() >= end {
                let seconds = time.as_secs();
                GitError::TooSlow { operation, seconds }
            } else {
                thread::sleep(pause);
                pause = (pause * 2).min(PAUSES.1);
                continue;
            };
            // Errors are ignored, because git may have ended at this moment.
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
            return Err(failure);
        }
    }
}

/// Reads at most `bytes_max` bytes, and discards the rest, so that the writer is not blocked.
fn read(mut pipe: impl Read, bytes_max: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Output up to a broken pipe is used.
    let _ = pipe.by_ref().take(bytes_max).read_to_end(&mut bytes);
    let _ = io::copy(&mut pipe, &mut io::sink());
    bytes
}

fn failed(operation: &'static str, message: &str) -> GitError {
    GitError::Failed {
        operation,
        message: message.to_owned(),
    }
}
