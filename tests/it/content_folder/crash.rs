//! Tests that the next run completes the work of a killed run.

use galley_tests::{
    command_line::galley,
    folder::{Folder, post_with},
    galley_process::GalleyProcess,
};

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

/// The number of files, enough for several chunks of conversions.
const FILES: usize = 600;

/// The arguments of a server of the content folder, without the value of `--data`.
const SERVE: &[&str] = &[
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--url",
    "https://example.com",
    "--content",
    "content",
    "--data",
];

/// The number of times that the process is killed.
const ROUNDS: u32 = 5;

fn generated() -> Folder {
    let folder = Folder::with(&[("site.toml", "title = \"Generated\"\n")]);
    for number in 0..FILES {
        let names = format!(
            "tags = [\"Tag {}\", \"Tag {}\"]\nauthors = [\"Author {}\"]",
            number % 7,
            number % 31,
            number % 5
        );
        let text = format!(
            "[next](post-{:04}.md)\n\n{}",
            (number + 1) % FILES,
            "Some words. ".repeat(50)
        );
        folder.write(
            &format!("posts/post-{number:04}.md"),
            post_with(&format!("Post {number}"), &names, &text),
        );
    }
    folder
}

#[test]
fn killed_first_runs_result_in_the_same_state() {
    let folder = generated();
    let serve =
        |data: &str| GalleyProcess::from_command(&mut galley(&folder, &[SERVE, &[data]].concat()));
    let began = Instant::now();
    let undisturbed = serve("undisturbed");
    let seeding = began.elapsed();
    let expected = undisturbed.responses();
    drop(undisturbed);

    for round in 0..ROUNDS {
        let data = format!("data-{round}");
        kill_after(&folder, &data, seeding * round / ROUNDS);
        // The second kill interrupts a run that has work to repair.
        kill_after(&folder, &data, seeding / 2);
        let responses = serve(&data).responses();
        assert!(
            responses == expected,
            "the responses of round {round} differ"
        );
    }
}

/// Starts a server with the data folder `data`, and kills the process after `delay`.
fn kill_after(folder: &Folder, data: &str, delay: Duration) {
    let mut process = galley(folder, &[SERVE, &[data]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    thread::sleep(delay);
    process.kill().expect("the process is killed");
    process.wait().expect("the process has ended");
}
