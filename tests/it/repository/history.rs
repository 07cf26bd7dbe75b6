//! Tests that missing dates and authors are taken from the history of a repository.

use std::fs;

use galley_tests::{
    command_line::{galley, run},
    galley_process::GalleyProcess,
    scripts::write_script,
    wait_until,
};
use rustix::process::Signal;
use serde_json::Value;

use super::{
    origin::{Origin, site_of},
    requests::{authorization, send},
};

/// Writes a file, and commits and pushes it with this author and date.
fn push_as(origin: &Origin, author: &str, date: &str, path: &str, text: &str) {
    origin.write(path, text);
    origin.git(&["add", "--all"]);
    let (author, date) = (format!("--author={author}"), format!("--date={date}"));
    origin.git(&["commit", "-q", "-m", "A change", &author, &date]);
    origin.git(&["push", "-q", "origin", "HEAD:main"]);
}

fn post(served: &GalleyProcess) -> Value {
    served.get("posts/slug/first/?include=authors")["posts"][0].clone()
}

const BO: &str = "Bo <bo@example.com>";
const CY: &str = "Cy <cy@example.com>";

#[test]
fn missing_dates_and_authors_come_from_the_history() {
    let origin = Origin::new();
    let text = |text: &str| format!("+++\ntitle = \"First\"\n+++\n{text}\n");
    let author = "name = \"Bo Writer\"\nemail = \"bo@example.com\"\n";
    push_as(
        &origin,
        CY,
        "2024-01-01T10:00:00Z",
        "authors/anna.toml",
        "name = \"Anna\"\n",
    );
    push_as(
        &origin,
        CY,
        "2024-01-02T10:00:00Z",
        "authors/bo.toml",
        author,
    );
    push_as(
        &origin,
        BO,
        "2024-01-05T10:00:00Z",
        "posts/first.md",
        &text("One"),
    );
    push_as(
        &origin,
        CY,
        "2024-02-01T10:00:00Z",
        "posts/first.md",
        &text("Two"),
    );
    let dated = "+++\ntitle = \"Dated\"\ndate = 2023-05-05T10:00:00Z\nauthors = [\"Anna\"]\n+++\n";
    push_as(&origin, BO, "2024-02-02T10:00:00Z", "posts/dated.md", dated);

    let folder = site_of(&origin.url(), 3600, "history = true");
    let served = GalleyProcess::serve(&folder, &[]);
    let first = post(&served);
    assert_eq!(first["published_at"], "2024-01-05T10:00:00.000+00:00");
    assert_eq!(first["created_at"], "2024-01-05T10:00:00.000+00:00");
    assert_eq!(first["updated_at"], "2024-02-01T10:00:00.000+00:00");
    assert_eq!(first["primary_author"]["name"], "Bo Writer");
    let dated = served.get("posts/slug/dated/?include=authors")["posts"][0].clone();
    assert_eq!(dated["published_at"], "2023-05-05T10:00:00.000+00:00");
    assert_eq!(dated["updated_at"], "2024-02-02T10:00:00.000+00:00");
    assert_eq!(dated["primary_author"]["name"], "Anna");

    push_as(
        &origin,
        CY,
        "2024-03-01T10:00:00Z",
        "posts/first.md",
        &text("Three"),
    );
    let authorization = authorization(&folder);
    let (status, _) = send(&served, "POST", "git/sync/", &[&authorization], "");
    assert_eq!(status, 200);
    assert_eq!(post(&served)["updated_at"], "2024-03-01T10:00:00.000+00:00");
    assert_eq!(post(&served)["created_at"], "2024-01-05T10:00:00.000+00:00");

    // Without the history, the publication date is missing.
    served.stop(Signal::TERM);
    let config = folder.top().join("galley.toml");
    let without = fs::read_to_string(&config)
        .expect("a file")
        .replace("true", "false");
    fs::write(config, without).expect("a file");
    let served = GalleyProcess::serve(&folder, &[]);
    let first = post(&served);
    assert!(
        first["published_at"].as_str().expect("a date") < "2000",
        "{first}"
    );
    assert_eq!(first["primary_author"]["name"], "Anna");
}

#[test]
fn shallow_clone_is_deepened_when_history_is_enabled() {
    let origin = Origin::new();
    let text = "+++\ntitle = \"First\"\n+++\n";
    push_as(&origin, BO, "2024-01-05T10:00:00Z", "posts/first.md", text);
    let other = "+++\ntitle = \"Other\"\n+++\n";
    push_as(&origin, BO, "2024-02-05T10:00:00Z", "posts/other.md", other);
    let folder = site_of(&origin.url(), 3600, "");
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    let config = folder.top().join("galley.toml");
    let with = fs::read_to_string(&config).expect("a file") + "history = true\n";
    fs::write(config, with).expect("a file");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(
        post(&served)["published_at"],
        "2024-01-05T10:00:00.000+00:00"
    );
}

/// The first git of the search path fails to read the history while a file exists.
#[test]
fn commit_whose_history_cannot_be_read_leaves_no_files() {
    let origin = Origin::new();
    let text = |title: &str| format!("+++\ntitle = \"{title}\"\n+++\n");
    push_as(
        &origin,
        BO,
        "2024-01-05T10:00:00Z",
        "posts/first.md",
        &text("One"),
    );
    let folder = site_of(&origin.url(), 1, "history = true");
    let (programs, fault) = (folder.top().join("bin"), folder.top().join("fault"));
    let path = std::env::var("PATH").expect("a path");
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' --name-status '*) [ ! -e '{}' ] || exit 1;; esac\nPATH='{path}'\nexec git \"$@\"\n",
        fault.display()
    );
    write_script(&programs.join("git"), &script);
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = galley(&folder, &arguments);
    command.env("PATH", format!("{}:{path}", programs.display()));
    let served = GalleyProcess::from_command(&mut command);
    let file = folder.data().join("git/tree/posts/first.md");
    let checked_out = || fs::read_to_string(&file).expect("the file is checked out");
    fs::write(&fault, "").expect("the file is written");

    push_as(
        &origin,
        BO,
        "2024-02-05T10:00:00Z",
        "posts/first.md",
        &text("Two"),
    );

    wait_until(
        "the pull has failed, and the files are those of the served commit",
        || {
            let status = run(&folder, &["status", "--data", "data", "--json"]).json();
            !status["git"]["failure"].is_null() && checked_out() == text("One")
        },
    );
    assert_eq!(post(&served)["title"], "One");
    fs::remove_file(&fault).expect("the file is removed");
    served.wait_for_titles(|titles| titles == ["Two"]);
    assert_eq!(checked_out(), text("Two"));
}
