//! Tests of starting a server with a repository: the first start, later starts, starts after a crash, and failed starts.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    command_line::{fetch, galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use rustix::process::Signal;

use super::origin::{Origin, site_of};

const HOUR: u32 = 3600;

fn one_post() -> Origin {
    Origin::with(&[("posts/first.md", &post("First", ""))])
}

#[test]
fn repository_on_the_command_line_is_served_with_its_images() {
    let origin = Origin::new();
    origin.write("site/images/cover.png", b"a picture");
    origin.push(
        &[
            ("site/posts/first.md", &post("First", "")),
            ("README.md", "Not a post."),
        ],
        "All",
    );
    let folder = Folder::with(&[("posts/other.md", &post("Of the folder", ""))]);
    let served = GalleyProcess::serve(&folder, &["--git", &origin.url(), "--git-path", "site"]);
    assert_eq!(served.titles(), ["First"]);
    assert_eq!(
        fetch(served.address(), "/content/images/cover.png"),
        "a picture"
    );
}

#[test]
fn clone_is_shallow() {
    let origin = one_post();
    for number in 0..5 {
        origin.push(
            &[("posts/first.md", &post(&format!("Title {number}"), ""))],
            "Another title",
        );
    }
    let folder = site_of(&origin.url(), HOUR, "");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["Title 4"]);
    assert_eq!(commits_in(&folder), 1);
}

fn commits_in(folder: &Folder) -> usize {
    let repository = folder.data().join("git/repository");
    let output = std::process::Command::new("git")
        .args(["--git-dir", repository.to_str().expect("UTF-8")])
        .args(["rev-list", "--all", "--count"])
        .output()
        .expect("git runs");
    let count = String::from_utf8(output.stdout).expect("UTF-8");
    count.trim().parse().expect("a number")
}

#[test]
fn status_shows_the_commit_while_served_and_afterwards() {
    let origin = one_post();
    let commit = origin.head();
    let folder = site_of(&origin.url(), HOUR, "");
    let served = GalleyProcess::serve(&folder, &[]);
    let text = run(&folder, &["status", "--data", "data"]).out;
    let line = format!("Repository: {}, branch main; last fetched ", origin.url());
    assert!(text.contains(&line), "{text}");
    let line = format!("Serving commit {} of ", &commit[..10]);
    assert!(text.contains(&line), "{text}");
    assert!(text.contains(" by Ada Lovelace: First version\n"), "{text}");
    served.stop(Signal::TERM);
    let status = run(&folder, &["status", "--data", "data", "--json"]).json();
    assert_eq!(status["git"]["served"]["commit"], commit);
    assert_eq!(status["git"]["branch"], "main");
    assert_eq!(status["files"], 1);
}

#[test]
fn last_commit_is_served_at_start_if_the_repository_is_gone() {
    let origin = one_post();
    let folder = site_of(&origin.url(), HOUR, "");
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    fs::rename(origin.bare(), origin.top().join("away")).expect("it can be moved");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["First"]);
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let text = run(&folder, &["status", "--data", "data"]).out;
        if text.contains("The pull failed once") {
            assert!(text.contains("querying the repository: "), "{text}");
            return;
        }
        assert!(Instant::now() < end, "{text}");
    }
}

#[test]
fn failed_first_clone_is_reported_without_the_password() {
    let folder = site_of("http://ada:s3cret@127.0.0.1:1/site.git", HOUR, "");
    let output = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("querying the repository: "),
        "{}",
        output.err
    );
    assert!(output.err.contains("127.0.0.1"), "{}", output.err);
    assert!(!output.err.contains("s3cret"), "{}", output.err);
}

#[test]
fn repository_without_commit_branch_or_folder_is_reported() {
    let serve = |folder: &Folder, more: &[&str]| {
        let start = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
        let output = run(folder, &[&start, more].concat());
        assert_eq!(output.code, Some(1));
        output.err
    };
    let empty = Origin::new();
    let output = serve(&site_of(&empty.url(), HOUR, ""), &[]);
    assert!(output.contains("has no commits yet"), "{output}");
    let origin = one_post();
    let folder = site_of(&origin.url(), HOUR, "");
    let output = serve(&folder, &["--git-branch", "release"]);
    assert!(output.contains("has no branch release"), "{output}");
    let output = serve(&folder, &["--git-path", "docs"]);
    assert!(output.contains("has no folder docs"), "{output}");
}

#[test]
fn content_folder_and_repository_are_exclusive() {
    let origin = one_post();
    let folder = Folder::new();
    fs::write(folder.top().join("galley.toml"), "content = \"content\"\n").expect("a file");
    let output = run(&folder, &["serve", "--git", &origin.url()]);
    assert_eq!(output.code, Some(1));
    assert!(
        output
            .err
            .contains("--git and galley.toml:1:1: content are both set"),
        "{}",
        output.err
    );
    let output = run(
        &folder,
        &["serve", "--git", "ext::sh -c x", "--content", "content"],
    );
    assert_eq!(output.code, Some(2));
}

#[test]
fn forbidden_repository_url_is_rejected_before_anything_is_created() {
    for url in [
        "ext::sh -c touch% owned",
        "--upload-pack=touch owned",
        "ssh://-oProxyCommand=x/y",
    ] {
        let folder = Folder::new();
        let output = run(&folder, &["serve", &format!("--git={url}")]);
        assert_eq!(output.code, Some(1), "{url}");
        assert!(!folder.top().join("galley-data").exists());
        assert!(!folder.top().join("owned").exists());
    }
}

#[test]
fn changed_repository_replaces_the_previous_one() {
    let (one, other) = (
        one_post(),
        Origin::with(&[("posts/second.md", &post("Second", ""))]),
    );
    let folder = site_of(&one.url(), HOUR, "");
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    let served = GalleyProcess::serve(&folder, &["--git", &other.url()]);
    assert_eq!(served.titles(), ["Second"]);
}

#[test]
fn damaged_clone_is_fetched_again() {
    let origin = Origin::with(&[("site/posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), HOUR, "path = \"site\"");
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    let git = folder.data().join("git");
    fs::remove_dir_all(git.join("repository/objects")).expect("it can be removed");
    fs::write(git.join("index"), "no index").expect("it can be written");
    let file = git.join("tree/posts/first.md");
    fs::remove_file(&file).expect("it can be removed");
    let served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(served.titles(), ["First"]);
    assert!(file.is_file());
    origin.push(&[("site/posts/second.md", &post("Second", ""))], "Second");
    served.stop(Signal::TERM);
    let served = GalleyProcess::serve(&folder, &[]);
    served.wait_for_titles(|titles| titles == ["First", "Second"]);
}

#[test]
fn kill_during_a_pull_leaves_a_complete_commit_and_recovers() {
    const FILES: usize = 300;
    let origin = Origin::new();
    let version = |number: u32| {
        for file in 0..FILES {
            origin.write(
                &format!("posts/post-{file}.md"),
                post(&format!("Version {number}"), ""),
            );
        }
        origin.push(&[], "All of them");
    };
    version(0);
    let folder = site_of(&origin.url(), 1, "");
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    for round in 1..=3_u32 {
        version(round);
        let mut process = galley(
            &folder,
            &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
        thread::sleep(Duration::from_millis(u64::from(80 * round)));
        process.kill().expect("the process can be killed");
        process.wait().expect("the process has ended");
        let served = GalleyProcess::serve(&folder, &[]);
        let titles = served.titles();
        assert!(
            titles.iter().all(|title| *title == titles[0]),
            "a mixture: {titles:?}"
        );
        let newest = format!("Version {round}");
        served.wait_for_titles(|titles| {
            titles.len() == 100 && titles.iter().all(|title| *title == newest)
        });
    }
}
