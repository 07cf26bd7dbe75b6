//! Runs a command as a child of this process: forwards signals to it and returns its exit code.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, ExitStatus},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::{Handle, SignalsInfo, exfiltrator::WithOrigin},
    low_level::siginfo::{Cause, Origin},
};
use tracing::Level;

use super::super::terminal;

/// Exit codes of commands that were ended by a signal begin here, as in shells.
const ENDED_BY_SIGNAL: i32 = 128;

/// Exit code of shells for a file that is not executable.
const NOT_EXECUTABLE: u8 = 126;

/// Exit code of shells for a command that does not exist.
const NOT_FOUND: u8 = 127;

/// Signals that end a program unless its parent set them to be ignored.
const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// Handles signals. Until the command runs, a signal ends this process; after that, signals are forwarded to
/// the command.
pub struct SignalHandling {
    phase: Arc<Mutex<Phase>>,
    signals: Handle,
    thread: Option<JoinHandle<()>>,
}

/// The state of the command.
enum Phase {
    /// The server is starting; this folder is removed on a signal.
    Preparing(PathBuf),
    Running(Pid),
    Ended,
}

impl SignalHandling {
    /// Starts to handle signals. A signal that arrives before the command runs removes `folder` and ends the
    /// process.
    ///
    /// # Errors
    ///
    /// If the operating system refuses the handlers or the thread.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        let handled = SIGNALS.into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = SignalsInfo::<WithOrigin>::new(handled)?;
        let handle = signals.handle();
        let phase = Arc::new(Mutex::new(Phase::Preparing(folder.to_owned())));
        let shared = Arc::clone(&phase);
        let handle_signals = move || {
            for origin in signals.forever() {
                handle_signal(&mut locked(&shared), &origin);
            }
        };
        let thread = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(handle_signals)?;
        Ok(Self {
            phase,
            signals: handle,
            thread: Some(thread),
        })
    }

    /// Runs `command` with these variables in addition to those of this process, and returns its
    /// exit code.
    ///
    /// # Errors
    ///
    /// If the operating system does not report how the command ended.
    pub fn run(
        self,
        command: &[OsString],
        variables: &[(OsString, OsString)],
    ) -> io::Result<ExitCode> {
        let Some((program, arguments)) = command.split_first() else {
            return Ok(ExitCode::SUCCESS);
        };
        let started = {
            // A signal that arrives now waits for the lock, until the process of the command is known.
            let mut phase = locked(&self.phase);
            let mut command = Command::new(program);
            let started = command
                .args(arguments)
                .envs(variables.iter().map(|(name, value)| (name, value)))
                .spawn();
            if let Ok(child) = &started {
                *phase = Phase::Running(Pid::from_child(child));
            }
            started
        };
        match started {
            Ok(child) => self.wait(child).map(code_of),
            Err(error) => {
                let (why, code) = reason(&error);
                terminal::complain(
                    Level::ERROR,
                    format_args!("galley: cannot run {}: {why}", program.display()),
                );
                Ok(ExitCode::from(code))
            }
        }
    }

    /// Waits until the command ends. Its process is reaped only after signals are no longer forwarded to it,
    /// so that a new process with the same number cannot receive one.
    fn wait(&self, mut child: Child) -> io::Result<ExitStatus> {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let pid = Pid::from_child(&child);
        while let Err(error) = waitid(WaitId::Pid(pid), ended) {
            if error != rustix::io::Errno::INTR {
                return Err(error.into());
            }
        }
        *locked(&self.phase) = Phase::Ended;
        child.wait()
    }
}

impl Drop for SignalHandling {
    fn drop(&mut self) {
        self.signals.close();
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// Handles a signal according to the state of the command.
fn handle_signal(phase: &mut Phase, origin: &Origin) {
    match phase {
        Phase::Preparing(folder) => {
            // Threads of the server may write during the first removal; the second one deletes what they
            // wrote.
            for _ in 0..2 {
                let _ = fs::remove_dir_all(&folder);
            }
            std::process::exit(ENDED_BY_SIGNAL + origin.signal);
        }
        // A terminal sends its signals to the command as well. Many programs treat a second signal
        // differently, so it is not forwarded.
        Phase::Running(_) if origin.cause == Cause::Kernel => {}
        Phase::Running(pid) => {
            if let Some(signal) = Signal::from_named_raw(origin.signal) {
                // The command may have just ended.
                let _ = kill_process(*pid, signal);
            }
        }
        Phase::Ended => {}
    }
}

/// Returns whether a signal is ignored because the parent of this process set it so, as `nohup` does. The
/// command then ignores it, too.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signal numbers begin at 1, which is the lowest bit.
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}

fn code_of(status: ExitStatus) -> ExitCode {
    let signal = || status.signal().map(|signal| ENDED_BY_SIGNAL + signal);
    let code = status.code().or_else(signal);
    let code = code.and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

fn reason(error: &io::Error) -> (String, u8) {
    match error.kind() {
        io::ErrorKind::NotFound => (
            "there is no such command, or the interpreter in its first line is missing".to_owned(),
            NOT_FOUND,
        ),
        io::ErrorKind::PermissionDenied => ("it is not executable".to_owned(), NOT_EXECUTABLE),
        _ => (error.to_string(), NOT_EXECUTABLE),
    }
}

/// Locks the phase. It is always set in one step, so it is valid even after a panic.
fn locked(phase: &Mutex<Phase>) -> MutexGuard<'_, Phase> {
    phase.lock().unwrap_or_else(PoisonError::into_inner)
}
