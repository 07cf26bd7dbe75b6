//! Runs a command as a child of this process: passes signals on and returns its exit code.

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

/// Offset of the exit code of a command that a signal ended, as in shells.
const ENDED_BY_SIGNAL: i32 = 128;

/// Exit code of shells for a file that is not executable.
const NOT_EXECUTABLE: u8 = 126;

/// Exit code of shells for a command that does not exist.
const NOT_FOUND: u8 = 127;

/// Signals that end a program, unless its parent has them ignored.
const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// Handles signals: until the command runs they end this process, then they are passed on to the
/// command.
pub struct SignalHandling {
    phase: Arc<Mutex<Phase>>,
    signals: Handle,
    thread: Option<JoinHandle<()>>,
}

/// The state of the command.
enum Phase {
    /// The server is starting; this folder is to be removed.
    Preparing(PathBuf),
    Running(Pid),
    Ended,
}

impl SignalHandling {
    /// Starts to handle signals. If one comes before the command runs, `folder` is removed and the
    /// process ends.
    ///
    /// # Errors
    ///
    /// If the system refuses handlers or a thread.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        let handled = SIGNALS.into_iter().filter(|signal| !is_ignored(*signal));
        let mut signals = SignalsInfo::<WithOrigin>::new(handled)?;
        let handle = signals.handle();
        let phase = Arc::new(Mutex::new(Phase::Preparing(folder.to_owned())));
        let shared = Arc::clone(&phase);
        let attend = move || {
            for origin in signals.forever() {
                attend(&mut locked(&shared), &origin);
            }
        };
        let thread = thread::Builder::new()
            .name("signals".to_owned())
            .spawn(attend)?;
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
    /// If the system does not report how it ended.
    pub fn run(
        self,
        command: &[OsString],
        variables: &[(OsString, OsString)],
    ) -> io::Result<ExitCode> {
        let Some((program, arguments)) = command.split_first() else {
            return Ok(ExitCode::SUCCESS);
        };
        let started = {
            // A signal that comes now waits for the lock, until the command's process is known.
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

    /// Waits until the command ends. Its process is reaped only when no signal can be sent to it
    /// any more, so that no other process with its number gets one.
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

fn attend(phase: &mut Phase, origin: &Origin) {
    match phase {
        Phase::Preparing(folder) => {
            // Threads of the server may still be writing there: the second removal deletes the files that they
            // wrote.
            for _ in 0..2 {
                let _ = fs::remove_dir_all(&folder);
            }
            std::process::exit(ENDED_BY_SIGNAL + origin.signal);
        }
        // A terminal sends its signals to the command as well; many programs treat a second one
        // differently.
        Phase::Running(_) if origin.cause == Cause::Kernel => {}
        Phase::Running(pid) => {
            if let Some(signal) = Signal::from_named_raw(origin.signal) {
                // It may have ended just now.
                let _ = kill_process(*pid, signal);
            }
        }
        Phase::Ended => {}
    }
}

/// Returns whether the parent of this process has a signal ignored, as `nohup` does. Then the
/// command ignores it, too.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Signals begin at 1, which has the lowest bit.
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

/// Locks the phase. It is set in one step, so a panic leaves it valid.
fn locked(phase: &Mutex<Phase>) -> MutexGuard<'_, Phase> {
    phase.lock().unwrap_or_else(PoisonError::into_inner)
}
