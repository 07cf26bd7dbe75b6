//! Kills a command at many moments while it runs.

use std::{
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The number of times that a command is killed.
const MOMENTS: u32 = 12;

/// Calls `run` for the numbers from 0 and runs the command that it returns, each in a new state. The command for number
/// 0 runs to its end. The others are killed (SIGKILL) later and later, from the start of the command to its usual end.
/// `check` checks the result of each.
pub fn kill_at_many_moments(mut run: impl FnMut(u32) -> Command, mut check: impl FnMut(u32)) {
    let start = Instant::now();
    let whole = quiet(&mut run(0)).status().unwrap();
    assert!(whole.success());
    let time = start.elapsed();
    check(0);
    for moment in 1..=MOMENTS {
        let mut command = quiet(&mut run(moment)).spawn().unwrap();
        thread::sleep(time * (moment - 1) / (MOMENTS - 1));
        let _ = command.kill();
        command.wait().unwrap();
        check(moment);
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

/// Waits for a command that should end without being killed. Returns its standard error if it failed.
pub fn failure(command: &mut Command) -> Option<String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (!output.status.success()).then(|| String::from_utf8(output.stderr).unwrap())
}
