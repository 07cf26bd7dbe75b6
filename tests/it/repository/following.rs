//! Tests of following a branch that is pushed, force-pushed, deleted, or temporarily unreachable.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::origin::{Origin, site_of};
use galley_tests::{
    command_line::run,
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_for,
};

fn site_that_syncs_every_second() -> (Origin, Folder, GalleyProcess) {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), 1, "");
    let served = GalleyProcess::serve(&folder, &[]);
    (origin, folder, served)
}

/// Waits until the status of the running server fulfils a condition.
fn wait_for_status(folder: &Folder, is_awaited: impl Fn(&str) -> bool) {
    let status = || run(folder, &["status", "--data", "data"]).out;
    wait_for("the status", status, |status| is_awaited(status));
}

#[test]
fn push_is_live_within_two_seconds_by_polling() {
    let (origin, _folder, served) = site_that_syncs_every_second();
    // The fastest of three counts, because the machine may be busy.
    let times = ["Second", "Third", "Fourth"].map(|title| {
        origin.push(&[("posts/first.md", &post(title, ""))], title);
        let pushed = Instant::now();
        served.wait_for_titles(|titles| titles == [title]);
        pushed.elapsed()
    });
    assert!(
        times.iter().min() < Some(&Duration::from_secs(2)),
        "{times:?}"
    );
}

#[test]
fn force_push_is_followed() {
    let (origin, _folder, served) = site_that_syncs_every_second();
    origin.push(&[("posts/second.md", &post("Second", ""))], "Second");
    served.wait_for_titles(|titles| titles.len() == 2);
    origin.git(&["reset", "-q", "--hard", "HEAD^"]);
    origin.write("posts/first.md", post("Rewritten", ""));
    origin.git(&["add", "--all"]);
    origin.git(&["commit", "-q", "--amend", "-m", "Rewritten"]);
    origin.git(&["push", "-q", "--force", "origin", "HEAD:main"]);
    served.wait_for_titles(|titles| titles == ["Rewritten"]);
}

#[test]
fn deleted_branch_keeps_the_served_commit() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    origin.git(&["push", "-q", "origin", "HEAD:live"]);
    let folder = site_of(&origin.url(), 1, "branch = \"live\"");
    let served = GalleyProcess::serve(&folder, &[]);
    origin.git(&["push", "-q", "origin", ":live"]);
    wait_for_status(&folder, |status| status.contains("has no branch live"));
    assert_eq!(served.titles(), ["First"]);
    origin.git(&["push", "-q", "origin", "HEAD:live"]);
}

#[test]
fn unreachable_repository_is_retried_and_reported_once() {
    let (origin, folder, served) = site_that_syncs_every_second();
    let away = origin.top().join("away");
    fs::rename(origin.bare(), &away).expect("it can be moved");
    wait_for_status(&folder, |status| status.contains("The pull failed 2 times"));
    assert_eq!(served.titles(), ["First"]);
    fs::rename(&away, origin.bare()).expect("it can be moved");
    origin.push(&[("posts/second.md", &post("Second", ""))], "Second");
    served.wait_for_titles(|titles| titles.len() == 2);
    wait_for_status(&folder, |status| !status.contains("The pull failed"));
    let output = served.stop(rustix::process::Signal::TERM).err;
    assert_eq!(
        output.matches("cannot follow the repository").count(),
        1,
        "{output}"
    );
    assert_eq!(
        output.matches("the repository responds again").count(),
        1,
        "{output}"
    );
}
